import { LocalBackend, TerraformStack } from 'cdktf';
import type { Construct } from 'constructs';
import { OLDEST_TERRAFORM } from '../lab/model/host/terraform-environment.ts';
import { diskName, domainName, type MachineSpec, type WorldStack } from '../lab/model/host/machine.ts';
import { renderDomainStylesheet } from './libvirt/domain-stylesheet.ts';
import { LibvirtDomain } from './libvirt/domain.ts';
import { literal } from './libvirt/literal.ts';
import { LibvirtPool } from './libvirt/pool.ts';
import { LibvirtProvider } from './libvirt/provider.ts';
import { renderOverlayStylesheet } from './libvirt/volume-stylesheet.ts';
import { LibvirtVolume } from './libvirt/volume.ts';

const BYTES_PER_GIB = 1024 ** 3;

/** The machines of one variant: a pool of its own, and for each node an overlay over the base image and a domain. */
export class LabStack extends TerraformStack {
  /** @param stateFile absolute path of the Terraform state. */
  constructor(scope: Construct, id: string, world: WorldStack, stateFile: string) {
    super(scope, id);
    this.addOverride('terraform.required_version', `>= ${OLDEST_TERRAFORM}`);
    new LocalBackend(this, { path: literal(stateFile) });
    new LibvirtProvider(this, 'libvirt', { uri: literal(world.providerUri) });
    const pool = new LibvirtPool(this, 'pool', { name: world.name, folder: world.poolFolder });
    for (const machine of world.nodes) addNode(this, world, pool, machine);
  }
}

function addNode(scope: Construct, world: WorldStack, pool: LibvirtPool, machine: MachineSpec): void {
  const volume = new LibvirtVolume(scope, `${machine.name}-disk`, {
    name: diskName(machine.name),
    pool: pool.nameRef,
    sizeBytes: machine.diskGiB * BYTES_PER_GIB,
    xslt: renderOverlayStylesheet(machine.base),
  });
  const kvm = world.accelerator === 'kvm';
  new LibvirtDomain(scope, machine.name, {
    name: domainName(world.name, machine.name),
    type: kvm ? 'kvm' : 'qemu',
    cpuMode: kvm ? 'host-passthrough' : 'maximum',
    memoryMiB: machine.memoryMiB,
    vcpus: machine.vcpus,
    kernel: machine.kernel,
    initrd: machine.initrd,
    cmdline: machine.cmdline,
    volumeId: volume.idRef,
    xslt: renderDomainStylesheet(world, machine),
  });
}
