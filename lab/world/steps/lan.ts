import { join } from 'node:path';
import { getText } from '../../drivers/files/files.ts';
import { reserveGroupPort } from '../../drivers/claims/ports.ts';
import type { Guest, Host } from '../../model/host/host.ts';
import {
  lanGroup,
  machineId,
  nodeMac,
  worldLibvirtName,
  type Lan,
  type MachineSpec,
} from '../../model/host/machine.ts';
import {
  CONFLIST_PATH,
  LAN_UNIT_PATH,
  renderLanUnit,
  renderNodeConflist,
} from '../../../provision/guest/lan.ts';
import type { WorldRecord } from '../world-record.ts';
import type { NodePlan } from '../recipe/plan-nodes.ts';

/**
 * Chooses the network between the nodes of a world; a single node needs none.
 *
 * @param identity what its nodes go by; they are in memory that was saved under the name of another world where it is derived.
 */
export async function reserveLan(
  libvirtName: string,
  identity: string,
  nodeCount: number,
): Promise<Lan | undefined> {
  if (nodeCount === 1) return undefined;
  const group = lanGroup(libvirtName);
  return { group, port: await reserveGroupPort(group), identity };
}

/** What the nodes of a world go by on their network. */
export function lanIdentity({ stateDir }: Pick<Host, 'stateDir'>, { name, lan }: LanWorld): string {
  return lan?.identity ?? worldLibvirtName(stateDir, name);
}

/** A world, as far as its network goes. */
type LanWorld = Pick<WorldRecord, 'name' | 'lan'>;

/** What a machine among several has besides the rest: addresses of its cards, and an id of its own. */
export function lanMachine(
  host: Pick<Host, 'stateDir'>,
  world: LanWorld,
  node: { readonly name: string; readonly index: number },
): Pick<MachineSpec, 'cmdline' | 'mac' | 'lanMac'> {
  if (world.lan === undefined) return { cmdline: [] };
  const identity = lanIdentity(host, world);
  return {
    // systemd writes it to /etc/machine-id: systemd(1), "systemd.machine_id=".
    cmdline: [`systemd.machine_id=${machineId(identity, node.name)}`],
    mac: nodeMac(identity, node.index, 1),
    lanMac: nodeMac(identity, node.index, 2),
  };
}

/**
 * Writes a node's part of the network between the nodes into the guest; the step `15-network` puts it into effect.
 *
 * @returns what that step wants to know, as environment variables; empty for a single node.
 */
export async function writeLan(
  host: Pick<Host, 'stateDir' | 'projectDir'>,
  world: LanWorld,
  guest: Guest,
  nodes: readonly NodePlan[],
): Promise<Record<string, string>> {
  const index = nodes.findIndex((node) => node.name === guest.name);
  const own = nodes[index];
  if (nodes.length === 1 || own === undefined) return {};
  const others = nodes.filter((node) => node !== own);
  const mac = nodeMac(lanIdentity(host, world), index, 2);
  const conflist = getText(join(host.projectDir, 'provision', 'guest', 'files', CONFLIST_PATH));
  await guest.writeFile(LAN_UNIT_PATH, renderLanUnit(own, mac, others));
  await guest.writeFile(CONFLIST_PATH, renderNodeConflist(conflist, own.podSubnet));
  return {
    LAN_MAC: mac,
    LAN_ADDRESS: own.address,
    LAN_ROUTES: others.map((node) => node.podSubnet).join(' '),
    LAN_HOSTS: others.map((node) => `${node.address} ${node.name}`).join('\n'),
  };
}
