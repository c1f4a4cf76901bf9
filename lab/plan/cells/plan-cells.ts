import type { Variant } from '../../model/axes/axes.ts';
import type { NotHad } from '../../model/components/not-had.ts';
import type { Facts, Known } from '../../model/declared/condition.ts';
import { ConfigError } from '../../model/errors/errors.ts';
import { usageErrorOf } from '../../model/errors/usage-problems.ts';
import type { ExpectedBug } from '../../model/declared/ledger.ts';
import type { Note, StartFailure } from '../../model/declared/matrix.ts';
import type { ParameterTexts } from '../../model/declared/parameters.ts';
import type { LoadedScenario, Outcome } from '../../model/declared/scenario.ts';
import type { AskedCell } from './ask-bug.ts';
import { checkComponents } from '../check/check-images.ts';
import { refuseUnmade } from '../check/check-versions.ts';
import { createEstimator, type PastTiming } from '../worlds/estimate.ts';
import { sum } from '../../model/text/sum.ts';
import { estimateBuilds } from '../worlds/estimate-builds.ts';
import { createNotHadLister, type KnownComponents } from '../worlds/list-not-had.ts';
import { planWorlds, type PlannedWorld } from '../worlds/plan-worlds.ts';
import { listMembership, selectCells, type Candidate } from './expand-cells.ts';
import { deriveFacts, type PlannedHost } from '../variants/facts.ts';
import {
  findRefusal,
  findStartFailure,
  findUnmetRequirement,
  listNotes,
  outcomeFor,
  type Refusal,
} from '../variants/find-rule.ts';
import { listDroppedOfWords, listNotesOfDropped, type DroppedPart } from '../variants/dropped-parts.ts';
import { listUnnamedVersions } from '../variants/newer-releases.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { orderCells } from './order-cells.ts';
import { selectAddresses, type AddressedCells } from './select-addresses.ts';
import { drawSample, type Sample, type SampleRequest } from './draw-sample.ts';
import { coverPairs } from './pairwise.ts';
import { refuseBroken } from '../config/broken.ts';
import type { Config } from '../config/parse-config.ts';
import { listChosenBroken, withBroken } from '../select/choose-broken.ts';
import { parseSelector } from '../select/parse-selector.ts';
import { TRY_SELECT } from '../variants/parse-variant.ts';

/** A cell that will be run. */
export interface PlannedCell {
  readonly address: string;
  readonly variant: Variant;
  /** With its parameters filled in. */
  readonly loaded: LoadedScenario;
  /** What must happen on this variant. */
  readonly outcome: Outcome;
  /** Id of the declared start failure that must be seen in place of that; of most cells none. */
  readonly startFailure?: string;
  /** The known bug that it is expected to show; of most cells none. */
  readonly bug?: ExpectedBug;
  /** Named sets that have this cell. */
  readonly sets: readonly string[];
  readonly estimateSeconds: number;
}

/** A cell that a rule refuses. */
export interface SkippedCell extends Refusal {
  readonly address: string;
  readonly variant: Variant;
  readonly scenario: string;
  readonly parameters: ParameterTexts;
}

/** Something declared about worlds of a plan that are built. */
interface DeclaredNote {
  readonly kind: 'note' | 'start-failure';
  readonly note: Note | StartFailure;
  /** Names of the variants it speaks of. */
  readonly variants: readonly string[];
}

/** What a plan needs to know in addition to the configuration; all of it may be left out. */
export interface PlanOptions {
  readonly timings?: readonly PastTiming[];
  /** Shuffles the order; the same seed gives the same one. */
  readonly seed?: string;
  /** Choose few cells that have every pair of values that any selected cell has. */
  readonly pairwise?: boolean;
  /** Draw so many of the selected cells at random. */
  readonly sample?: SampleRequest;
  readonly host?: PlannedHost;
  /**
   * The sides of a bug, by address, when the run asks whether it shows: what each must do, and how often it is run. No cell
   * of such a run is expected to show a bug.
   */
  readonly asked?: ReadonlyMap<string, AskedCell>;
  /** Names of the worlds that are saved on this host. */
  readonly savedWorlds?: ReadonlySet<string>;
  /** What a person has typed, where the selecting words come from elsewhere. */
  readonly typed?: readonly string[];
  /** The words are addresses of saved cells: none of them selects more than one. */
  readonly areAddresses?: boolean;
  /** Build every world from its image. */
  readonly cold?: boolean;
  /** `<component>-<version>` of the programs in the cache; without it no build is estimated. */
  readonly made?: ReadonlySet<string>;
  /** What no source had when it was last asked for, by `<component>-<version>`. */
  readonly notHad?: ReadonlyMap<string, NotHad>;
}

/** A world of a plan. */
interface CostedWorld extends PlannedWorld {
  /** Until it is ready. */
  readonly estimateSeconds: number;
}

/** What a plan takes whose worlds have lanes. */
interface LanesOfPlan {
  /** The lanes of the world that has most. */
  readonly most: number;
  /** What all of it takes then. */
  readonly estimateSeconds: number;
}

/** The cells that words select. Cells of one world follow each other. */
export interface Plan {
  readonly cells: readonly PlannedCell[];
  readonly skipped: readonly SkippedCell[];
  /** The worlds that they need, in the order in which they come to be. */
  readonly worlds: readonly CostedWorld[];
  /** What is declared about these worlds. */
  readonly notes: readonly DeclaredNote[];
  readonly estimateSeconds: number;
  /** Absent: no world has more than one lane. */
  readonly lanes?: LanesOfPlan;
  /** What of that is fetching and building programs that are not in the cache. */
  readonly buildSeconds: number;
  /** What the estimates rest on. */
  readonly estimates: 'past-runs' | 'some-past-runs' | 'defaults';
  /** Memory of the largest world, MiB: the least that a run needs. */
  readonly memoryMiB: number;
  readonly seed?: string;
  /** With pairwise covering: how many cells could have been run, and the pairs that they and the chosen ones have. */
  readonly pairwise?: { readonly of: number; readonly pairs: number; readonly covered: number };
  readonly sample?: Sample;
}

/** What is known of one variant. It is found once for all of its cells. */
interface VariantKnowledge {
  readonly facts: Facts;
  readonly refusal: Refusal | undefined;
  readonly startFailure: StartFailure | undefined;
}

/**
 * The cells that words select.
 *
 * @throws UsageError, and ConfigError when a scenario or a bug is broken that the words choose.
 */
function selectRight(config: Config, words: readonly string[]): ReturnType<typeof selectCells> {
  const all = withBroken(config);
  const { selector, problems } = parseSelector(all, words);
  if (problems.length > 0) throw usageErrorOf(problems, TRY_SELECT);
  const selected = selectCells(all, selector);
  const scenarios = new Set(selected.cells.map(({ loaded }) => loaded.scenario.name));
  const broken = listChosenBroken(config, selector, scenarios);
  if (broken.length > 0) throw refuseBroken(broken);
  if (selected.problems.length > 0) throw usageErrorOf(selected.problems, TRY_SELECT);
  return selected;
}

/**
 * The cells of saved addresses.
 *
 * @throws UsageError naming each that is of no cell, and ConfigError when their scenario is broken.
 */
function selectSaved(config: Config, addresses: readonly string[]): Pick<AddressedCells, 'cells'> {
  const selected = selectAddresses(config, addresses);
  const broken = new Set(selected.unknown.flatMap((part) => part.broken ?? []));
  if (broken.size > 0) throw refuseBroken([...broken]);
  const problems = selected.unknown.map(({ address, why }) => `"${address}" is not a cell: ${why}`);
  if (problems.length > 0) throw usageErrorOf(problems, TRY_SELECT);
  return selected;
}

/**
 * Plans the cells that words select: expands, applies rules, chooses, orders and estimates. Linear in the number of
 * cells but for sorting.
 *
 * @throws UsageError naming every word that is wrong or matches nothing; ConfigError naming every image that cannot be
 *   made.
 */
export function planCells(config: Config, words: readonly string[], options: PlanOptions = {}): Plan {
  const selected = options.areAddresses === true ? selectSaved(config, words) : selectRight(config, words);
  checkChosenImages(config, selected.cells);

  const { seed, host, sample, savedWorlds = new Set() } = options;
  const know = rememberVariants(config, host);
  const { runnable, skipped } = applyRules(config, orderCells(selected.cells, { seed, savedWorlds }), know);
  // A rule says better why a release cannot be had.
  refuseUnmade(config, new Set(runnable.map(({ variant }) => variant)));
  const covering =
    options.pairwise === true
      ? coverPairs(runnable, (cell) => know(cell).startFailure !== undefined)
      : undefined;
  const sampled = sample === undefined ? undefined : drawSample(runnable, sample);
  const chosen = covering?.chosen ?? sampled?.drawn ?? runnable;
  const variants = new Map(chosen.map(({ name, variant }) => [name, variant]));
  const worlds = planWorlds([...variants.values()], config.matrix, {
    saved: savedWorlds,
    cold: options.cold === true,
  });
  const cost = estimateCost(config, chosen, { options, know, worlds });
  return {
    cells: cost.cells,
    skipped,
    worlds: cost.worlds,
    notes: collectNotes(config, chosen, {
      know,
      dropped: listDropped(config, chosen, options.typed ?? words),
      components: { notHad: options.notHad ?? new Map(), made: options.made ?? new Set() },
    }),
    estimateSeconds: cost.seconds,
    buildSeconds: cost.buildSeconds,
    estimates: cost.basis,
    memoryMiB: Math.max(0, ...[...variants.keys()].map((name) => cost.memoryMiB.get(name) ?? 0)),
    ...(seed === undefined ? {} : { seed }),
    ...(covering === undefined
      ? {}
      : { pairwise: { of: runnable.length, pairs: covering.pairs, covered: covering.covered } }),
    ...(sampled === undefined ? {} : { sample: sampled.sample }),
  };
}

/** Checks the images of the chosen cells: a pattern of a parameter may accept a version that no source has. */
function checkChosenImages({ catalogue }: Config, cells: readonly Candidate[]): void {
  const scenarios = new Set(cells.map(({ loaded }) => loaded));
  const problems = [...scenarios].flatMap((loaded) => checkComponents(loaded, catalogue));
  if (problems.length > 0) throw new ConfigError(problems);
}

type Know = (cell: Candidate) => VariantKnowledge;

function rememberVariants({ matrix }: Config, host: PlannedHost | undefined): Know {
  const known = new Map<string, VariantKnowledge>();
  return ({ name, variant }) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const facts = deriveFacts(variant, matrix, host);
    const refusal = findRefusal(matrix, variant, facts);
    const knowledge = { facts, refusal, startFailure: findStartFailure(matrix, variant, facts) };
    known.set(name, knowledge);
    return knowledge;
  };
}

function applyRules(
  config: Config,
  cells: readonly Candidate[],
  know: Know,
): { runnable: Candidate[]; skipped: SkippedCell[] } {
  const runnable: Candidate[] = [];
  const skipped: SkippedCell[] = [];
  for (const cell of cells) {
    const { address, variant, loaded } = cell;
    const { scenario, parameters } = loaded;
    const { facts, refusal: ofVariant } = know(cell);
    const known = knownOf(facts, loaded);
    // Rules may name parameters. A cell without parameters gets the answer of its variant.
    const ofCell = known === facts ? ofVariant : findRefusal(config.matrix, variant, known);
    const refusal = ofCell ?? findUnmetRequirement(scenario, variant, known);
    if (refusal === undefined) runnable.push(cell);
    else skipped.push({ address, variant, scenario: scenario.name, parameters, ...refusal });
  }
  return { runnable, skipped };
}

/** What is known of a cell: the facts of its variant, and its parameters. */
function knownOf(facts: Facts, { parameters }: LoadedScenario): Known {
  return Object.keys(parameters).length === 0 ? facts : { ...facts, ...parameters };
}

interface Cost {
  readonly worlds: readonly CostedWorld[];
  readonly cells: PlannedCell[];
  readonly seconds: number;
  readonly buildSeconds: number;
  readonly basis: Plan['estimates'];
  readonly memoryMiB: ReadonlyMap<string, number>;
}

function estimateCost(
  config: Config,
  cells: readonly Candidate[],
  context: { readonly options: PlanOptions; readonly know: Know; readonly worlds: readonly PlannedWorld[] },
): Cost {
  const { options, know } = context;
  const estimator = createEstimator(options.timings ?? []);
  const membership = listMembership(config, cells);
  const ledger: Ledger = options.asked === undefined ? createLedger(config) : () => undefined;
  const memoryMiB = new Map<string, number>();
  let seconds = 0;
  let [fromPast, estimates] = [0, 0];
  const add = (estimate: { seconds: number; fromPast: boolean }): number => {
    seconds += estimate.seconds;
    fromPast += estimate.fromPast ? 1 : 0;
    estimates += 1;
    return estimate.seconds;
  };
  const worlds = context.worlds.map((world) => ({
    ...world,
    estimateSeconds: add(estimator.world(world.name, world.way)),
  }));
  const made = options.made === undefined ? undefined : new Set(options.made);
  const builds = context.worlds.flatMap(({ variant, way }) =>
    made === undefined || way === 'restored'
      ? []
      : [estimateBuilds(config.catalogue, variant, estimator, made)],
  );
  const buildSeconds = sum(builds.filter((build) => build.seconds > 0).map(add));
  // Where several bugs name a scenario, the first of them tells.
  const expectedSeconds = new Map(
    config.bugs.toReversed().map(({ scenario, expectSeconds }) => [scenario, expectSeconds]),
  );
  const planned = cells.map((cell): PlannedCell => {
    const { address, name, variant } = cell;
    const asked = options.asked?.get(address);
    const loaded = asked === undefined ? cell.loaded : withRepeat(cell.loaded, asked.repeat);
    const { facts, startFailure } = know(cell);
    memoryMiB.set(name, Number(facts.memoryMiB));
    const mustFail = asked === undefined ? startFailure?.id : asked.startFailure;
    const outcome = asked?.outcome ?? outcomeFor(loaded.scenario, variant, knownOf(facts, loaded));
    // Pods of a declared start failure never run: seeing it is part of bringing the world up.
    const { scenario } = loaded;
    const estimateSeconds =
      startFailure === undefined
        ? add(estimator.cell(scenario, outcome, expectedSeconds.get(scenario.name)))
        : 0;
    const bug = ledger(address);
    return {
      address,
      variant,
      loaded,
      outcome,
      ...(mustFail === undefined ? {} : { startFailure: mustFail }),
      ...(bug === undefined ? {} : { bug }),
      sets: membership.get(address) ?? [],
      estimateSeconds,
    };
  });
  const basis = fromPast === 0 ? 'defaults' : fromPast === estimates ? 'past-runs' : 'some-past-runs';
  return { cells: planned, worlds, seconds, buildSeconds, basis, memoryMiB };
}

function withRepeat(loaded: LoadedScenario, repeat: number): LoadedScenario {
  return { ...loaded, scenario: { ...loaded.scenario, repeat } };
}

/** What is dropped of versions in the words of a plan, and in the files of the bugs whose scenarios it has. */
function listDropped(
  config: Config,
  cells: readonly Candidate[],
  words: readonly string[],
): readonly DroppedPart[] {
  const scenarios = new Set(cells.map(({ loaded }) => loaded.scenario.name));
  const ofBugs = config.bugs
    .filter(({ scenario }) => scenarios.has(scenario))
    .flatMap(({ id }) => config.dropped[id] ?? []);
  return [...listDroppedOfWords(config.matrix, words), ...ofBugs];
}

interface NoteContext {
  readonly know: Know;
  readonly dropped: readonly DroppedPart[];
  readonly components: KnownComponents;
}

function collectNotes(
  config: Config,
  cells: readonly Candidate[],
  { know, dropped, components }: NoteContext,
): DeclaredNote[] {
  const notes = new Map<string, { kind: DeclaredNote['kind']; note: Note; variants: Set<string> }>();
  const add = (kind: DeclaredNote['kind'], note: Note, name: string): void => {
    const found = notes.get(note.id) ?? { kind, note, variants: new Set<string>() };
    notes.set(note.id, found);
    found.variants.add(name);
  };
  for (const cell of new Map(cells.map((cell) => [cell.name, cell])).values()) {
    const { facts, startFailure } = know(cell);
    for (const note of listNotesOfDropped(dropped, cell.variant)) add('note', note, cell.name);
    if (startFailure !== undefined) add('start-failure', startFailure, cell.name);
    else for (const note of notesOf(config, cell.variant, facts)) add('note', note, cell.name);
  }
  // Cells of one world bring images of their own.
  const listNotHad = createNotHadLister(config.catalogue, components);
  for (const cell of cells) for (const note of listNotHad(cell)) add('note', note, cell.name);
  return [...notes.values()].map(({ variants, ...rest }) => ({ ...rest, variants: [...variants] }));
}

function notesOf(config: Config, variant: Variant, facts: Facts): Note[] {
  return [...listNotes(config.matrix, variant, facts), ...listUnnamedVersions(config, variant)];
}
