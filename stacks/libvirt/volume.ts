import { TerraformResource } from 'cdktf';
import type { Construct } from 'constructs';
import { literal } from './literal.ts';

/** A qcow2 volume. */
export interface LibvirtVolumeConfig {
  /** File name in the pool. */
  readonly name: string;
  /** Name of the pool, or a reference to it. */
  readonly pool: string;
  /** Virtual size in bytes. */
  readonly sizeBytes: number;
  /** Stylesheet applied to the volume XML before libvirt sees it. */
  readonly xslt: string;
}

/** `libvirt_volume`. */
export class LibvirtVolume extends TerraformResource {
  readonly #config: LibvirtVolumeConfig;

  constructor(scope: Construct, id: string, config: LibvirtVolumeConfig) {
    super(scope, id, { terraformResourceType: 'libvirt_volume' });
    this.#config = config;
  }

  /** Reference to the key of the volume, which a domain's disk takes. */
  get idRef(): string {
    return this.getStringAttribute('id');
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return {
      name: literal(this.#config.name),
      pool: this.#config.pool,
      format: 'qcow2',
      size: this.#config.sizeBytes,
      xml: [{ xslt: literal(this.#config.xslt) }],
    };
  }
}
