import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Accelerator } from '../../lab/model/host/host.ts';
import { DEFAULT_VARIANT } from '../../lab/model/axes/axes.ts';
import type { MachineSpec, WorldStack } from '../../lab/model/host/machine.ts';
import { kernelArguments, planWorld } from '../../lab/world/recipe/recipe.ts';
import { renderDomainStylesheet } from '../../stacks/libvirt/domain-stylesheet.ts';
import { configWith, PROJECT } from '../unit/project-files.ts';

/**
 * What libvirt makes of the machine of a world, by its own schema and its own QEMU command line. Nothing is booted: libvirt
 * runs inside virsh (https://libvirt.org/drvqemu.html, "embed"), with a folder of its own.
 */

function hasTools(): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v virsh xsltproc qemu-system-x86_64']);
    return true;
  } catch {
    return false;
  }
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-xml-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const { matrix, catalogue } = configWith();
const recipe = planWorld(DEFAULT_VARIANT, { matrix, catalogue, projectDir: PROJECT });

/**
 * The domain that provider 0.8.3 hands to the stylesheet: `newDomainDef` and what `resourceLibvirtDomainCreate` adds for the
 * attributes of `stacks/libvirt/domain.ts` (libvirt/domain_def.go, libvirt/resource_libvirt_domain.go). Of the volume, its
 * file: which pool it lies in is for the daemon to know.
 */
function renderProviderDomain(accelerator: Accelerator): string {
  const isKvm = accelerator === 'kvm';
  return `<domain type="${isKvm ? 'kvm' : 'qemu'}">
  <name>whodunit-test-node-1</name>
  <memory unit="MiB">64</memory>
  <vcpu placement="static">2</vcpu>
  <os>
    <type arch="x86_64" machine="q35">hvm</type>
    <kernel>/vmlinuz</kernel>
    <initrd>/initrd.img</initrd>
    <cmdline>${kernelArguments(recipe, accelerator).sort().join(' ')}</cmdline>
  </os>
  <features><pae></pae><acpi></acpi><apic></apic></features>
  <cpu mode="${isKvm ? 'host-passthrough' : 'maximum'}"></cpu>
  <devices>
    <emulator>/usr/bin/qemu-system-x86_64</emulator>
    <disk type="file" device="disk">
      <driver name="qemu" type="qcow2"></driver>
      <source file="/pool/node-1.qcow2"></source>
      <target dev="vda" bus="virtio"></target>
    </disk>
    <channel type="unix"><target type="virtio" name="org.qemu.guest_agent.0"></target></channel>
    <graphics type="spice" autoport="yes"></graphics>
    <rng model="virtio"><backend model="random">/dev/urandom</backend></rng>
  </devices>
</domain>`;
}

/** The domain as libvirt gets it, and the command line that libvirt makes of it. */
function convert(accelerator: Accelerator): { xml: string; commandLine: string } {
  const machine: MachineSpec = {
    name: 'node-1',
    memoryMiB: 64,
    vcpus: 2,
    diskGiB: 1,
    base: '/base.raw',
    kernel: '/vmlinuz',
    initrd: '/initrd.img',
    cmdline: [],
    sshPort: 2222,
    apiPort: 6444,
    consoleLog: '/console.log',
  };
  const world: WorldStack = {
    name: 'whodunit-test',
    providerUri: 'qemu:///session',
    accelerator,
    poolFolder: '/pool',
    uid: 7,
    gid: 8,
    nodes: [machine],
  };
  const [given, sheet, made] = ['given.xml', 'sheet.xsl', 'made.xml'].map((name) =>
    join(folder, `${accelerator}-${name}`),
  ) as [string, string, string];
  writeFileSync(given, renderProviderDomain(accelerator));
  writeFileSync(sheet, renderDomainStylesheet(world, machine));
  const xml = execFileSync('xsltproc', [sheet, given], { encoding: 'utf8' });
  writeFileSync(made, xml);
  const uri = `qemu:///embed?root=${join(folder, accelerator)}`;
  const virsh = (...words: string[]): string =>
    execFileSync('virsh', ['-q', '-c', uri, ...words], { encoding: 'utf8' });
  virsh('define', '--validate', made);
  return { xml, commandLine: virsh('domxml-to-native', 'qemu-argv', '--xml', made) };
}

/** Settings of emulated nodes alone (docs/decisions/0008-emulated-nodes.md), as QEMU or the kernel is given them. */
const EMULATED = ['-accel tcg', 'tb-size=512', '-cpu max', 'erms=off', 'fsrm=off', 'highres=off'];

describe.skipIf(!hasTools())('the machine that libvirt is given', () => {
  it('fits its schema and runs under KVM on the CPU of the host, with no setting of emulation', () => {
    const { xml, commandLine } = convert('kvm');
    expect(commandLine).toContain('-accel kvm -cpu host');
    for (const setting of [...EMULATED, 'tcg', 'erms', 'fsrm'])
      expect(`${xml} ${commandLine}`).not.toContain(setting);
    expect(commandLine).toContain('root=/dev/vda');
    expect(commandLine).toContain('restrict=on');
    for (const device of ['spice', 'VGA', 'balloon', 'usb-']) expect(commandLine).not.toContain(device);
  });

  it('has every setting of emulation where it is emulated', () => {
    const { commandLine } = convert('tcg');
    for (const setting of EMULATED) expect(commandLine).toContain(setting);
  });

  it('is refused by the schema when it has what libvirt does not know', () => {
    const path = join(folder, 'wrong.xml');
    writeFileSync(path, renderProviderDomain('kvm').replace('</domain>', '<tb-cache/></domain>'));
    const uri = `qemu:///embed?root=${join(folder, 'wrong')}`;
    expect(() => execFileSync('virsh', ['-c', uri, 'define', '--validate', path], { stdio: 'pipe' })).toThrow(
      /schema|tb-cache/,
    );
  });
});
