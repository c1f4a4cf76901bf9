import { TerraformProvider } from 'cdktf';
import type { Construct } from 'constructs';

/** Source address, fully qualified so that OpenTofu, which has another default registry, means the same provider. */
export const PROVIDER_SOURCE = 'registry.terraform.io/dmacvicar/libvirt';

/** The one version that the constructs in this folder are written for (0.9 has other schemas). */
const PROVIDER_VERSION = '0.8.3';

/** Settings of the provider. */
export interface LibvirtProviderConfig {
  /** `qemu:///system`, or `qemu:///session?socket=…`: the provider does not find a session's socket by itself. */
  readonly uri: string;
}

/** The provider `dmacvicar/libvirt`. */
export class LibvirtProvider extends TerraformProvider {
  readonly #config: LibvirtProviderConfig;

  constructor(scope: Construct, id: string, config: LibvirtProviderConfig) {
    super(scope, id, {
      terraformResourceType: 'libvirt',
      terraformGeneratorMetadata: {
        providerName: 'libvirt',
        providerVersion: PROVIDER_VERSION,
        providerVersionConstraint: PROVIDER_VERSION,
      },
      terraformProviderSource: PROVIDER_SOURCE,
    });
    this.#config = config;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { uri: this.#config.uri };
  }
}
