import type { PlannedCell } from '../../plan/plan-cells.ts';
import type { Host } from '../../model/host.ts';
import type { CellRecord } from '../../model/observation.ts';
import { parametersField } from '../../model/parameters.ts';
import { cellPaths } from '../../model/paths.ts';
import { writeJsonAtomic } from '../../drivers/files.ts';
import { apiErrorText } from '../../drivers/kubernetes.ts';
import type { ImageArchive } from '../../../provision/image/workload-archive.ts';
import { startCollection, type Collection } from './collect.ts';
import { KMSG_END } from './collect-node.ts';
import { createObjects } from './create-objects.ts';
import { importImages } from './deliver-images.ts';
import { observeOutcome } from './observe.ts';
import { createPodWatch } from './pod-watch.ts';
import { stimulate } from './stimulate.ts';
import { beginUse, type PristineWorld, type UsedWorld } from '../world.ts';

/** A cell, and what it needs that the nodes do not have. */
export interface PreparedCell extends PlannedCell {
  readonly archives: readonly ImageArchive[];
}

/** What running a cell leaves behind, beside the evidence in its folder. */
export interface CellRun {
  /** The world after the cell. */
  readonly world: UsedWorld;
  readonly record: CellRecord;
  /** Time for the images that the nodes did not have. */
  readonly deliverMs: number;
  readonly deployMs: number;
  readonly observeMs: number;
  readonly collectMs: number;
  /** The error that cut the cell short, when it was. */
  readonly error: unknown;
}

/**
 * Runs one cell in a pristine world: collect, deploy, stimulate, watch, save. The evidence is saved before the
 * world is touched again, also when the cell fails or is interrupted.
 */
export async function runCell(
  host: Host,
  pristine: PristineWorld,
  cell: PreparedCell,
  cellDir: string,
  onPhase: (phase: 'cell-deployed' | 'cell-observed', detail: string) => void,
): Promise<CellRun> {
  const { outcome: expected, scenario: loaded } = cell;
  const { scenario } = loaded;
  const watch = createPodWatch(scenario.victim);
  const iso = (): string => new Date(host.clock.now()).toISOString();
  const stimuli: CellRecord['stimuli'][number][] = [];
  const startedAt = iso();
  const startedMs = host.clock.now();
  const world = beginUse(pristine);
  saveEffective(world, cellDir);
  let collection: Collection | undefined;
  let error: unknown;
  let [deployedAt, deployStart, deliverMs, deployMs] = [iso(), host.clock.now(), 0, 0];
  try {
    collection = await startCollection(host, world, {
      ...{ cellDir, loaded },
      onPod: (type, object) => watch.see(type, object),
    });
    deployStart = host.clock.now();
    await importImages(world.guests, cell.archives);
    deliverMs = host.clock.now() - deployStart;
    deployStart += deliverMs;
    await createObjects(world, `${loaded.folder}/manifests`, loaded.manifests, scenario.victim.namespace);
    deployedAt = iso();
    deployMs = host.clock.now() - deployStart;
    onPhase('cell-deployed', `${loaded.manifests.length} objects`);
    for (const each of scenario.stimulus)
      stimuli.push(await stimulate({ host, world, watch, collection, loaded }, each));
    onPhase('cell-observed', await observeOutcome(host, watch, expected, scenario));
  } catch (caught) {
    error = caught;
  }
  const observeMs = host.clock.now() - startedMs - deliverMs - deployMs;
  const collectStart = host.clock.now();
  const lost = (await collection?.finish()) ?? [];
  const record: CellRecord = {
    ...describeCell(cell),
    nodes: world.guests.map((guest) => guest.name),
    startedAt,
    deployedAt,
    endedAt: iso(),
    stimuli,
    kmsgEnd: KMSG_END,
    lost,
    ...(error === undefined ? {} : { [host.signal.aborted ? 'interrupted' : 'broken']: apiErrorText(error) }),
  };
  writeJsonAtomic(cellPaths(cellDir).record, record);
  return { world, record, deliverMs, deployMs, observeMs, collectMs: host.clock.now() - collectStart, error };
}

/** What a record has of the cell before it is run. */
function describeCell({
  address,
  variant,
  outcome,
  scenario: loaded,
}: PreparedCell): Omit<CellRecord, 'nodes' | 'startedAt' | 'deployedAt' | 'endedAt' | 'stimuli' | 'lost'> {
  const { name, victim } = loaded.scenario;
  return {
    formatVersion: 1,
    ...{ address, variant, scenario: name, expected: outcome, victim },
    ...parametersField(loaded.parameters),
    ...(loaded.samplers.length === 0 ? {} : { samplers: loaded.samplers }),
  };
}

/** Saves what the world was found to be beside the evidence. */
function saveEffective({ record: { effective } }: UsedWorld, cellDir: string): void {
  if (effective !== undefined) writeJsonAtomic(cellPaths(cellDir).effective, effective);
}
