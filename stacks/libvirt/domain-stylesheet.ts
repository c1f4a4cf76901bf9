import type { XMLBuilder } from 'xmlbuilder2/lib/interfaces.js';
import type { Lan, MachineSpec, WorldStack } from '../../lab/model/host/machine.ts';
import { addElement, createStylesheet } from './stylesheet.ts';

/** Cache of translated code in MiB; QEMU's own choice for a small guest makes a busy one translate again and again. */
const TCG_CACHE_MIB = '512';

/**
 * Left out of an emulated CPU: with it, kernel and libc copy and clear byte by byte (`rep movsb`), which is slowest in
 * QEMU; without it they do so by words. See docs/decisions/0008-emulated-nodes.md. Newer QEMU offers `fsrm` too, and a kernel
 * of 6.1 that sees it without `erms` does not come back from its first memmove.
 */
const SLOW_WHEN_EMULATED = ['erms', 'fsrm'];

/** Slots of the network cards, beyond those that libvirt gives out; in this order the guest names them. */
const NETWORK_CARD_SLOT = '0x10';
const LAN_CARD_SLOT = '0x11';

/** Renders what the provider's own attributes cannot say about a node's domain, as an XSLT stylesheet. */
export function renderDomainStylesheet(world: WorldStack, machine: MachineSpec): string {
  const sheet = createStylesheet();
  // The provider always adds SPICE graphics and an agent channel; libvirt would add a video card for the first.
  sheet.remove('/domain/devices/graphics|/domain/devices/video|/domain/devices/channel');
  // The overlay is removed with the world. Losing it in a crash of the host costs nothing; flushes cost minutes.
  sheet.extend('/domain/devices/disk/driver', { cache: 'unsafe' });
  sheet.extend('/domain/devices', {}, (at) => addDevices(at, machine));
  if (world.accelerator === 'tcg') {
    sheet.extend('/domain/features', {}, (at) => {
      addElement(addElement(at, 'tcg'), 'tb-cache', { unit: 'MiB' }, TCG_CACHE_MIB);
    });
    sheet.extend('/domain/cpu', {}, (at) => {
      for (const name of SLOW_WHEN_EMULATED) addElement(at, 'feature', { policy: 'disable', name });
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
  for (const value of planNetworkArguments(machine, world.lan)) addElement(command, 'qemu:arg', { value });
}

/**
 * Returns the QEMU arguments of the network cards. The first: user-mode, no way out (`restrict`), SSH and the API
 * forwarded from 127.0.0.1 only. The second, in a world of several nodes: the world's multicast group on loopback.
 * As libvirt 9 can express neither `restrict`, `hostfwd` nor `localaddr`, they are passed to QEMU directly.
 */
export function planNetworkArguments(machine: MachineSpec, lan?: Lan): string[] {
  const forwards = [`hostfwd=tcp:127.0.0.1:${machine.sshPort}-:22`];
  if (machine.apiPort !== undefined) forwards.push(`hostfwd=tcp:127.0.0.1:${machine.apiPort}-:6443`);
  const user = ['user', 'id=n0', 'restrict=on', 'ipv6=off', ...forwards].join(',');
  const first = ['-netdev', user, '-device', networkCard('n0', NETWORK_CARD_SLOT, machine.mac)];
  if (lan === undefined) return first;
  // `localaddr` both sends and listens on loopback; without it QEMU would take the interface of the default route.
  const group = ['socket', 'id=n1', `mcast=${lan.group}:${lan.port}`, 'localaddr=127.0.0.1'].join(',');
  return [...first, '-netdev', group, '-device', networkCard('n1', LAN_CARD_SLOT, machine.lanMac)];
}

function networkCard(netdev: string, slot: string, mac: string | undefined): string {
  const words = ['virtio-net-pci', `netdev=${netdev}`, `addr=${slot}`];
  return [...words, ...(mac === undefined ? [] : [`mac=${mac}`])].join(',');
}
