import type { XMLBuilder } from 'xmlbuilder2/lib/interfaces.js';
import type { MachineSpec, WorldStack } from '../../lab/model/machine.ts';
import { addElement, createStylesheet } from './stylesheet.ts';

/** Cache of translated code in MiB; QEMU's own choice for a small guest makes a busy one translate again and again. */
const TCG_CACHE_MIB = '512';

/** Slot of the network card, beyond those that libvirt gives out. */
const NETWORK_CARD_SLOT = '0x10';

/** Renders what the provider's own attributes cannot say about a node's domain, as an XSLT stylesheet. */
export function renderDomainStylesheet(world: WorldStack, machine: MachineSpec): string {
  const sheet = createStylesheet();
  // The provider always adds SPICE graphics and an agent channel; libvirt would add a video card for the first.
  sheet.remove('/domain/devices/graphics|/domain/devices/video|/domain/devices/channel');
  // The overlay is thrown away with the world: its loss in a host crash costs nothing, flushes cost minutes.
  sheet.extend('/domain/devices/disk/driver', { cache: 'unsafe' });
  sheet.extend('/domain/devices', {}, (at) => addDevices(at, machine));
  if (world.accelerator === 'tcg') {
    sheet.extend('/domain/features', {}, (at) => {
      addElement(addElement(at, 'tcg'), 'tb-cache', { unit: 'MiB' }, TCG_CACHE_MIB);
    });
  }
  sheet.extend('/domain', {}, (at) => addDomainSettings(at, world, machine));
  return sheet.render();
}

function addDevices(at: XMLBuilder, machine: MachineSpec): void {
  const serial = addElement(at, 'serial', { type: 'file' });
  addElement(serial, 'source', { path: machine.consoleLog, append: 'on' });
  // Devices that libvirt adds by itself and a node does not need.
  addElement(at, 'controller', { type: 'usb', model: 'none' });
  addElement(at, 'memballoon', { model: 'none' });
}

function addDomainSettings(at: XMLBuilder, world: WorldStack, machine: MachineSpec): void {
  addElement(at, 'on_poweroff', {}, 'destroy');
  addElement(at, 'on_reboot', {}, 'restart');
  addElement(at, 'on_crash', {}, 'destroy');
  if (!world.providerUri.includes('///session')) {
    // QEMU runs as us and files keep their owners: docs/decisions/0004-qemu-runs-as-us.md
    const label = addElement(at, 'seclabel', { type: 'static', model: 'dac', relabel: 'no' });
    addElement(label, 'label', {}, `+${world.uid}:+${world.gid}`);
  }
  const command = addElement(at, 'qemu:commandline');
  for (const value of planNetworkArguments(machine)) addElement(command, 'qemu:arg', { value });
}

/**
 * Returns the QEMU arguments of the network card: user-mode, no way out (`restrict`), SSH and the API forwarded
 * from 127.0.0.1 alone. As libvirt 9 cannot express `restrict` and `hostfwd`, they are passed to QEMU directly.
 */
export function planNetworkArguments(machine: MachineSpec): string[] {
  const forwards = [`hostfwd=tcp:127.0.0.1:${machine.sshPort}-:22`];
  if (machine.apiPort !== undefined) forwards.push(`hostfwd=tcp:127.0.0.1:${machine.apiPort}-:6443`);
  const mac = machine.mac === undefined ? [] : [`mac=${machine.mac}`];
  return [
    '-netdev',
    ['user', 'id=n0', 'restrict=on', 'ipv6=off', ...forwards].join(','),
    '-device',
    ['virtio-net-pci', 'netdev=n0', `addr=${NETWORK_CARD_SLOT}`, ...mac].join(','),
  ];
}
