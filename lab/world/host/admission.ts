import { sum } from '../../model/text/sum.ts';

/**
 * Whether another world may run now: by memory, because it must never run out, and by CPUs, because too few make
 * verdicts slow.
 */

/** What a world takes of the host. */
export interface Demand {
  /** Canonical variant name; of a lane its own name. */
  readonly name: string;
  /** The world whose cells a lane runs a part of; absent of a world. */
  readonly laneOf?: string;
  /** Memory of all its guests together, in MiB. */
  readonly memoryMiB: number;
  readonly nodes: number;
  readonly vcpus: number;
}

/** A world, or a guest of somebody else, that is powered on or about to be. */
export interface Occupant extends Demand {
  /** Memory that its QEMU processes have by now, in MiB. A guest takes its memory page by page. */
  readonly residentMiB: number;
  /**
   * `busy`: used by this run; `idle`: of this state folder and not in use; `elsewhere`: of another lab; `foreign`: of
   * no lab.
   */
  readonly use: 'busy' | 'idle' | 'elsewhere' | 'foreign';
  /** Whether cells of this run wait for it. */
  readonly neededLater: boolean;
}

/** What the host has to give. */
export interface Capacity {
  /** Memory that the host can give without swapping, in MiB. */
  readonly availableMiB: number;
  /** QEMU's own memory per node, in MiB. */
  readonly overheadMiB: number;
  /** Virtual CPUs that may run at once, those of other labs too. One world of a run may always run, whatever it has. */
  readonly vcpus: number;
  /** Worlds that may be busy at once (`--parallel`). CPUs are not counted then, but for those that idle worlds keep busy. */
  readonly worlds?: number;
}

/** The decision; `park` names idle worlds that must go first. */
export type Admission =
  | { readonly verdict: 'admit'; readonly park: readonly string[] }
  /** Not before a busy world ends. */
  | { readonly verdict: 'wait'; readonly why: string }
  /** Never on this host, as it is now. */
  | { readonly verdict: 'refuse'; readonly why: string };

/** Kept for the lab itself, libvirt, Terraform and the page cache, in MiB. */
export const HOST_MARGIN_MIB = 512;

/**
 * Virtual CPUs that may run at once. An emulated one keeps a CPU of the host busy even when its guest is idle; a
 * virtualised one mostly sleeps.
 */
export function vcpuBudget(accelerator: 'kvm' | 'tcg', hostCpus: number): number {
  return accelerator === 'tcg' ? hostCpus : 2 * hostCpus;
}

/**
 * Memory of one QEMU in addition to that of its guest, in MiB: an emulating one keeps translated code (512 MiB, see
 * stacks/libvirt/domain-stylesheet.ts).
 */
export function qemuOverheadMiB(accelerator: 'kvm' | 'tcg'): number {
  return accelerator === 'tcg' ? 768 : 256;
}

/**
 * Decides whether a world may start. As few idle worlds as possible are parked for it, those first that this run does
 * not need again. A candidate that is powered on already counts once.
 */
export function decideAdmission(
  candidate: Demand,
  occupants: readonly Occupant[],
  capacity: Capacity,
): Admission {
  const others = occupants.filter(({ name }) => name !== candidate.name);
  const itself = occupants.filter(({ name }) => name === candidate.name);
  const busy = others.filter(({ use }) => use === 'busy');
  // Lanes of one world are one world.
  const worlds = new Set(busy.map(worldOf));
  worlds.delete(worldOf(candidate));
  if (capacity.worlds !== undefined && worlds.size >= capacity.worlds) {
    return { verdict: 'wait', why: `${worlds.size} of ${capacity.worlds} worlds are running` };
  }
  const idle = others
    .filter(({ use }) => use === 'idle')
    .sort((a, b) => Number(a.neededLater) - Number(b.neededLater));
  const wanted = fullMiB(candidate, capacity) + HOST_MARGIN_MIB;
  for (let count = 0; count <= idle.length; count += 1) {
    const parked = idle.slice(0, count);
    const kept = others.filter((occupant) => !parked.includes(occupant));
    if (freeMiB(kept, [...parked, ...itself], capacity) < wanted) continue;
    if (!fitsCpus(candidate, kept, capacity) && (count < idle.length || busy.length > 0)) continue;
    return { verdict: 'admit', park: parked.map(({ name }) => name) };
  }
  const kept = others.filter(({ use }) => use !== 'idle');
  const free = Math.floor(freeMiB(kept, [...idle, ...itself], capacity));
  const memory = `it needs ${wanted} MiB with QEMU and a margin, and ${Math.max(0, free)} MiB are available`;
  if (busy.length > 0) return { verdict: 'wait', why: free < wanted ? memory : 'all CPUs are in use' };
  return { verdict: 'refuse', why: memory };
}

function worldOf({ name, laneOf }: Demand): string {
  return laneOf ?? name;
}

/** How many worlds of a size the host admits at once where nothing else runs; one may always run. Pure. */
export function countFitting(demand: Demand, capacity: Capacity): number {
  const byCpus = Math.floor(capacity.vcpus / demand.vcpus);
  const byMemory = Math.floor((capacity.availableMiB - HOST_MARGIN_MIB) / fullMiB(demand, capacity));
  return Math.max(1, Math.min(byCpus, byMemory));
}

/** Memory that is free when some worlds are parked and the others have taken all that they may take. */
function freeMiB(kept: readonly Occupant[], gone: readonly Occupant[], capacity: Capacity): number {
  const untouched = kept.map((occupant) => Math.max(0, fullMiB(occupant, capacity) - occupant.residentMiB));
  return capacity.availableMiB + sum(gone.map(({ residentMiB }) => residentMiB)) - sum(untouched);
}

function fullMiB({ memoryMiB, nodes }: Demand, capacity: Capacity): number {
  return memoryMiB + nodes * capacity.overheadMiB;
}

function fitsCpus(candidate: Demand, kept: readonly Occupant[], capacity: Capacity): boolean {
  const counted = kept.filter(({ use }) =>
    capacity.worlds === undefined ? use !== 'foreign' : use === 'idle',
  );
  if (capacity.worlds !== undefined && counted.length === 0) return true;
  return candidate.vcpus + sum(counted.map(({ vcpus }) => vcpus)) <= capacity.vcpus;
}
