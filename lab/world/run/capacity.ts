import { claimsFolder, openClaimBook, type WorldClaim, type ClaimBook } from '../../drivers/claims/claims.ts';
import { listFolder } from '../../drivers/files/files.ts';
import { countCpus } from '../../drivers/host/host-facts.ts';
import { readAvailableMemoryMiB } from '../../drivers/host/memory.ts';
import { listQemuGuests, type QemuGuest } from '../../drivers/machines/qemu-guests.ts';
import { valueOf, type Variant } from '../../model/axes/axes.ts';
import { HostError } from '../../model/errors/errors.ts';
import { sum } from '../../model/text/sum.ts';
import type { Accelerator, Host } from '../../model/host/host.ts';
import { domainName, isOfLab, worldLibvirtName } from '../../model/host/machine.ts';
import { statePaths } from '../../model/host/paths.ts';
import {
  decideAdmission,
  qemuOverheadMiB,
  vcpuBudget,
  type Admission,
  type Demand,
  type Occupant,
  type Capacity,
} from '../host/admission.ts';
import type { Lab } from '../lab.ts';
import { parkWorld } from '../restore/park.ts';
import { planNodes } from '../recipe/plan-nodes.ts';
import { findWorldRecord } from '../world-record.ts';
import type { ReportWorld } from '../world.ts';

/** What a variant's world takes. */
export function demandOf(lab: Pick<Lab, 'matrix'>, name: string, variant: Variant): Demand {
  const nodes = planNodes(valueOf(variant, 'nodes'), lab.matrix.machine);
  return {
    name,
    nodes: nodes.length,
    memoryMiB: sum(nodes.map(({ memoryMiB }) => memoryMiB)),
    vcpus: sum(nodes.map(({ vcpus }) => vcpus)),
  };
}

/** Looks at the host. `worlds` limits how many worlds are busy at once; without it the CPUs do. */
export function readCapacity(accelerator: Accelerator, worlds: number | undefined): Capacity {
  return {
    availableMiB: readAvailableMemoryMiB(),
    overheadMiB: qemuOverheadMiB(accelerator),
    vcpus: vcpuBudget(accelerator, countCpus()),
    ...(worlds === undefined ? {} : { worlds }),
  };
}

/** The claims of all labs of this user on this host. */
export function openClaims({ uid, clock, signal }: Pick<Host, 'uid' | 'clock' | 'signal'>): ClaimBook {
  return openClaimBook(claimsFolder(uid), clock, signal);
}

/** Claims a world of a state folder; the returned function gives it back. */
export function claimWorld(claims: ClaimBook, stateDir: string, { name, ...demand }: Demand): () => void {
  return claims.take({ world: name, guests: domainName(worldLibvirtName(stateDir, name), ''), ...demand });
}

/** What a lab knows of its own worlds, and what other labs claim. */
export interface KnownWorlds {
  readonly busy: readonly Demand[];
  /** Names of worlds that the run needs later. */
  readonly later: readonly string[];
  readonly claims: readonly WorldClaim[];
}

/**
 * Returns every guest that is powered on, those of other labs and users too, all busy worlds and what other labs claim:
 * their machines may not have started yet.
 *
 * @param running the guests of this host.
 */
export function listOccupants(
  stateDir: string,
  { busy, later, claims }: KnownWorlds,
  running: readonly QemuGuest[] = listQemuGuests(),
): Occupant[] {
  const left = new Map(running.map((guest) => [guest.name, guest]));
  const occupants: Occupant[] = [];
  const names = new Set([...busy.map(({ name }) => name), ...listFolder(statePaths(stateDir).worlds)]);
  for (const name of names) {
    const domains = findWorldRecord(stateDir, name)?.nodes.map(({ domain }) => domain) ?? [];
    const guests = domains.flatMap((domain) => left.get(domain) ?? []);
    for (const domain of domains) left.delete(domain);
    const demand = busy.find((demand) => demand.name === name);
    if (demand === undefined && guests.length === 0) continue;
    occupants.push({
      ...(demand ?? {
        name,
        nodes: guests.length,
        memoryMiB: sum(guests.map(({ memoryMiB }) => memoryMiB)),
        vcpus: sum(guests.map(({ vcpus }) => vcpus)),
      }),
      residentMiB: sum(guests.map(({ residentMiB }) => residentMiB)),
      use: demand === undefined ? 'idle' : 'busy',
      neededLater: later.includes(name),
    });
  }
  for (const { pid, world, guests: prefix, memoryMiB, nodes, vcpus } of claims) {
    const claimed = [...left.values()].filter(({ name }) => name.startsWith(prefix));
    for (const guest of claimed) left.delete(guest.name);
    const residentMiB = sum(claimed.map((guest) => guest.residentMiB));
    const name = `${world} of process ${pid}`;
    occupants.push({ name, nodes, memoryMiB, vcpus, residentMiB, use: 'elsewhere', neededLater: false });
  }
  for (const { pid, name: guest, memoryMiB, residentMiB, vcpus } of left.values()) {
    const use = isOfLab(guest) ? 'elsewhere' : 'foreign';
    occupants.push({
      name: `process ${pid}`,
      nodes: 1,
      memoryMiB,
      vcpus,
      residentMiB,
      use,
      neededLater: false,
    });
  }
  return occupants;
}

/** Parks worlds, and says so in the progress. */
export async function parkWorlds(lab: Lab, names: readonly string[], report: ReportWorld): Promise<void> {
  for (const name of names) {
    const record = findWorldRecord(lab.host.stateDir, name);
    if (record === undefined) continue;
    lab.host.progress.note(`world ${name} is parked: its room is needed, \`npx whodunit up\` brings it back`);
    report('world-parked', name);
    await parkWorld(lab, record);
  }
}

/**
 * Makes room for one world in addition to those that are up, and claims it while it is brought up: idle ones are parked
 * when memory does not suffice.
 *
 * @throws HostError LAB_MEMORY when it does not suffice even then; whatever `work` throws.
 */
export async function withRoom<T>(
  lab: Lab,
  demand: Demand,
  accelerator: Accelerator,
  work: () => Promise<T>,
): Promise<T> {
  const { stateDir } = lab.host;
  const claims = openClaims(lab.host);
  const { park, release } = await claims.decide(() => {
    const capacity = { ...readCapacity(accelerator, undefined), vcpus: Infinity };
    const known = { busy: [], later: [], claims: claims.listOthers() };
    const admission = decideAdmission(demand, listOccupants(stateDir, known), capacity);
    if (admission.verdict !== 'admit') throw tooSmall(demand.name, admission);
    return { park: admission.park, release: claimWorld(claims, stateDir, demand) };
  });
  try {
    await parkWorlds(lab, park, () => undefined);
    return await work();
  } finally {
    release();
  }
}

function tooSmall(name: string, { why }: Exclude<Admission, { verdict: 'admit' }>): HostError {
  return new HostError('LAB_MEMORY', `world ${name} does not fit into the memory of this host: ${why}`, {
    tryNext: 'end other programs, or choose a variant with fewer nodes',
  });
}
