import { TerraformResource } from 'cdktf';
import type { Construct } from 'constructs';
import { literal } from './literal.ts';

/** A storage pool in a folder. */
export interface LibvirtPoolConfig {
  readonly name: string;
  /** Absolute path. The provider creates the folder and removes it again; deleting fails while a file is in it. */
  readonly folder: string;
}

/** `libvirt_pool` of type `dir`. */
export class LibvirtPool extends TerraformResource {
  readonly #config: LibvirtPoolConfig;

  constructor(scope: Construct, id: string, config: LibvirtPoolConfig) {
    super(scope, id, { terraformResourceType: 'libvirt_pool' });
    this.#config = config;
  }

  /** Reference to the name of the pool, so that volumes wait for it. */
  get nameRef(): string {
    return this.getStringAttribute('name');
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return {
      name: literal(this.#config.name),
      type: 'dir',
      target: [{ path: literal(this.#config.folder) }],
    };
  }
}
