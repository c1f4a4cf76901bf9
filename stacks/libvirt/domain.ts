import { TerraformResource } from 'cdktf';
import type { Construct } from 'constructs';
import { planKernelCommandLine } from './kernel-command-line.ts';
import { literal } from './literal.ts';

/** A virtual machine with direct kernel boot and one disk. */
export interface LibvirtDomainConfig {
  readonly name: string;
  /** `kvm` = hardware virtualisation, `qemu` = emulation (TCG). */
  readonly type: 'kvm' | 'qemu';
  readonly memoryMiB: number;
  readonly vcpus: number;
  readonly cpuMode: 'host-passthrough' | 'maximum';
  readonly kernel: string;
  readonly initrd: string;
  /** Words of the kernel command line. */
  readonly cmdline: readonly string[];
  /** Key of the disk's volume, or a reference to it. */
  readonly volumeId: string;
  /** Stylesheet applied to the domain XML before libvirt sees it. */
  readonly xslt: string;
}

/** `libvirt_domain`, always `q35`, started when created and never by itself. */
export class LibvirtDomain extends TerraformResource {
  readonly #config: LibvirtDomainConfig;

  constructor(scope: Construct, id: string, config: LibvirtDomainConfig) {
    super(scope, id, { terraformResourceType: 'libvirt_domain' });
    this.#config = config;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    const config = this.#config;
    return {
      name: literal(config.name),
      type: config.type,
      machine: 'q35',
      memory: config.memoryMiB,
      vcpu: config.vcpus,
      cpu: [{ mode: config.cpuMode }],
      kernel: literal(config.kernel),
      initrd: literal(config.initrd),
      cmdline: planKernelCommandLine(config.cmdline).map(literalMap),
      disk: [{ volume_id: config.volumeId }],
      autostart: false,
      xml: [{ xslt: literal(config.xslt) }],
    };
  }
}

function literalMap(map: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [literal(key), literal(value)]));
}
