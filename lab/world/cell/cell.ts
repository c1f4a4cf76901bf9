import { join } from 'node:path';
import type { PlannedCell } from '../../plan/cells/plan-cells.ts';
import type { Host } from '../../model/host/host.ts';
import { evidencePath, type CellRecord } from '../../model/evidence/observation.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { plural } from '../../model/text/plural.ts';
import { exportLines } from '../../model/text/shell.ts';
import { writeJsonAtomic } from '../../drivers/files/files.ts';
import { apiErrorText } from '../../drivers/kubernetes/kubernetes.ts';
import type { ImageArchive } from '../../../provision/image/workload-archive.ts';
import { openCellRegistry, type CellRegistry, type PreparedRegistry } from './cell-registry.ts';
import { startCollection, type Collection } from './collect.ts';
import { KMSG_END } from './journals.ts';
import { createObjects } from './create-objects.ts';
import { importImages } from './deliver-images.ts';
import { observeOnNode } from './observe-on-node.ts';
import { observeOutcome } from './observe.ts';
import { observeTries } from './observe-tries.ts';
import { createPodWatch } from './pod-watch.ts';
import { createSlowDisks, type SlowDisks } from './slow-disks.ts';
import { firstNode, stimulate, type DeployedCell } from './stimulate.ts';
import { longestMs } from './scenario-time.ts';
import type { Lab } from '../lab.ts';
import { beginUse, type PristineWorld, type UsedWorld } from '../world.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';

/** A cell, and what it needs that the nodes do not have. */
export interface PreparedCell extends PlannedCell {
  readonly archives: readonly ImageArchive[];
  /** The registry of images that nodes pull; most cells have none. */
  readonly registry: PreparedRegistry | undefined;
}

/** What running a cell leaves behind, besides the evidence in its folder. */
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

/** Hears how far a cell is. */
type OnPhase = (phase: 'cell-deployed' | 'cell-observed', detail: string) => void;

/**
 * Runs one cell in a pristine world: collect, deploy, stimulate, watch, save. The evidence is saved before the
 * world is touched again, also when the cell fails or is interrupted.
 */
export async function runCell(
  lab: Lab,
  pristine: PristineWorld,
  cell: PreparedCell,
  cellDir: string,
  onPhase: OnPhase,
): Promise<CellRun> {
  const { host } = lab;
  const iso = (): string => new Date(host.clock.now()).toISOString();
  const startedAt = iso();
  const startedMs = host.clock.now();
  const world = beginUse(pristine);
  saveEffective(world, cellDir);
  const disks = createSlowDisks(lab, world);
  const play: Play = {
    host,
    world,
    disks,
    cell,
    cellDir,
    onPhase,
    stimuli: [],
    deployedAt: startedAt,
  };
  let error: unknown;
  try {
    await playCell(play).finally(disks.release);
  } catch (caught) {
    error = caught;
  }
  const { collection, registry, stimuli, deployedAt, deliverMs = 0, deployMs = 0 } = play;
  const observeMs = host.clock.now() - startedMs - deliverMs - deployMs;
  const collectStart = host.clock.now();
  let lost: CellRecord['lost'] = [];
  try {
    lost = (await collection?.finish()) ?? [];
  } finally {
    await registry?.stop();
  }
  // What waited for something was interrupted; this is why.
  if (!host.signal.aborted) error = registry?.findFailure() ?? error;
  const record: CellRecord = {
    ...describeCell(cell),
    nodes: world.guests.map((guest) => guest.name),
    startedAt,
    deployedAt,
    endedAt: iso(),
    stimuli,
    kmsgEnd: KMSG_END,
    ...describeAsked(cell),
    lost,
    ...(error === undefined ? {} : { [host.signal.aborted ? 'interrupted' : 'broken']: apiErrorText(error) }),
  };
  writeJsonAtomic(cellPaths(cellDir).record, record);
  return { world, record, deliverMs, deployMs, observeMs, collectMs: host.clock.now() - collectStart, error };
}

/** Longest manifests that a record keeps, as JSON: they are there for a reader. */
const MAX_MANIFESTS = 64 * 1024;

/** A cell, and how far it has come. */
interface Play {
  readonly host: Host;
  readonly world: UsedWorld;
  readonly disks: SlowDisks;
  readonly cell: PreparedCell;
  readonly cellDir: string;
  readonly onPhase: OnPhase;
  /** Goes on until the evidence is saved. */
  collection?: Collection;
  /** Serves until then. */
  registry?: CellRegistry;
  readonly stimuli: CellRecord['stimuli'][number][];
  deployedAt: string;
  deliverMs?: number;
  deployMs?: number;
}

async function playCell(play: Play): Promise<void> {
  const { host, world, disks, cell, cellDir, onPhase } = play;
  const { outcome: expected, loaded } = cell;
  const { scenario, folder, manifests } = loaded;
  const watch = createPodWatch(scenario.victim);
  await prepareNode(world, loaded);
  const collection = await startCollection(host, world, {
    cellDir,
    loaded,
    alsoDies: expected.alsoDies,
    onPod: (type, object) => watch.see(type, object),
  });
  play.collection = collection;
  const deliverStart = host.clock.now();
  await importImages(world.guests, cell.archives, host.signal);
  const placement = { owner: cell.address, file: join(cellDir, evidencePath('registry')) };
  const registry = await openCellRegistry(host, world.guests, cell.registry, placement);
  play.registry = registry;
  const deployStart = host.clock.now();
  play.deliverMs = deployStart - deliverStart;
  await createObjects(world, `${folder}/manifests`, manifests, scenario.victim.namespace);
  play.deployedAt = new Date(host.clock.now()).toISOString();
  play.deployMs = host.clock.now() - deployStart;
  onPhase('cell-deployed', plural(manifests.length, 'object'));
  const { slow: slowDisk } = disks;
  const deployed = { host: registry.host, world, watch, collection, registry, loaded, slowDisk };
  for (const stimulus of scenario.stimulus) play.stimuli.push(await stimulate(deployed, stimulus));
  onPhase('cell-observed', await observe(deployed, expected));
}

/** Watches for the deaths that the scenario asks for, or for the outcome. */
function observe(cell: DeployedCell, expected: PreparedCell['outcome']): Promise<string> {
  const { host, world, watch, loaded } = cell;
  const { scenario, folder } = loaded;
  const watchedMs = longestMs(scenario.timeoutSeconds, world.record.accelerator);
  if (scenario.tries !== undefined) {
    const create = (objects: LoadedScenario['manifests']): Promise<void> =>
      createObjects(world, `${folder}/manifests`, objects, scenario.victim.namespace);
    return observeTries({ host, watch, loaded, create }, scenario.tries, watchedMs);
  }
  return scenario.victim.onNode === undefined
    ? observeOutcome(host, watch, expected, scenario, watchedMs)
    : observeOnNode(host, firstNode(world), scenario, watchedMs);
}

/** Makes of the first node what the scenario needs, before anything is recorded. */
async function prepareNode(world: UsedWorld, { scenario, parameters }: LoadedScenario): Promise<void> {
  const { prepare } = scenario;
  if (prepare === undefined) return;
  const { script, timeoutSeconds } = prepare;
  const timeoutMs = longestMs(timeoutSeconds, world.record.accelerator);
  await firstNode(world).must(exportLines(parameters) + script, { timeoutMs });
}

/** What a record has of the cell before it is run. */
function describeCell({
  address,
  variant,
  outcome,
  bug,
  loaded,
}: PreparedCell): Omit<CellRecord, 'nodes' | 'startedAt' | 'deployedAt' | 'endedAt' | 'stimuli' | 'lost'> {
  const { name, victim } = loaded.scenario;
  return {
    formatVersion: FORMAT_VERSION,
    address,
    variant,
    scenario: name,
    expected: outcome,
    ...(loaded.scenario.tries === undefined ? {} : { tries: loaded.scenario.tries }),
    victim,
    ...parametersField(loaded.parameters),
    ...(bug === undefined ? {} : { bug }),
    ...(loaded.samplers.length === 0
      ? {}
      : { samplers: loaded.samplers, measures: loaded.scenario.measures }),
  };
}

/** What the scenario asks for, for a reader of the cell. */
function describeAsked({ loaded }: PreparedCell): Pick<CellRecord, 'title' | 'manifests'> {
  const { scenario, manifests } = loaded;
  const { title } = scenario;
  return JSON.stringify(manifests).length > MAX_MANIFESTS ? { title } : { title, manifests };
}

/** Saves, next to the evidence, what the world was found to be. */
function saveEffective({ record: { effective } }: UsedWorld, cellDir: string): void {
  if (effective !== undefined) writeJsonAtomic(cellPaths(cellDir).effective, effective);
}
