import { createHash } from 'node:crypto';
import { variantName, type Variant } from '../../model/axes/axes.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { HostClass, PlannedShard, ShardPlan } from '../../model/saved/shard-plan.ts';
import { MAX_SHARDS } from '../../model/limits/max-shards.ts';
import { largest } from '../../model/text/extremes.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { plural } from '../../model/text/plural.ts';
import { sum } from '../../model/text/sum.ts';
import { choiceOf, toListResult } from '../cells/list-result.ts';
import type { Plan, PlannedCell } from '../cells/plan-cells.ts';
import type { Estimator } from '../worlds/estimate.ts';
import { findParent, planWorlds } from '../worlds/plan-worlds.ts';
import { balance, idealSeconds, type Division, type WorldPiece, type WorldWork } from './balance.ts';

/** What is needed of the world of a variant before it is there. */
export interface WorldNeeds {
  /** Digest of what its image is made of. */
  readonly image: string;
  readonly memoryMiB: number;
  readonly cpus: number;
}

/** What a plan of shards is made of. All of it is the same on every host. */
export interface ShardRequest {
  readonly plan: Plan;
  readonly matrix: Matrix;
  readonly estimator: Estimator;
  readonly needsOf: (variant: Variant) => WorldNeeds;
  readonly words: readonly string[];
  readonly host: HostClass;
  readonly version: string;
  readonly configuration: string;
  /** How many; left out: as few as the time allows. */
  readonly shards?: number | undefined;
  /** What a shard may take. */
  readonly maxMinutes?: number | undefined;
}

/** A plan without its digest. */
type Undigested = Omit<ShardPlan, 'plan'>;
type Work = WorldWork<PlannedCell>;

/** What a shard may take where nothing is said: a host that dies loses that much. */
const DEFAULT_MAX_MINUTES = 20;
/** Fetching the image that the first phase has made, seconds: 0.7 GB packed at 200 Mbit/s. */
const IMAGE_SECONDS = 30;

/**
 * Divides a plan into shards: pure, so that the same words make the same bytes on every host.
 *
 * @throws UsageError when no cell is left, or a shard would take longer than it may.
 */
export function planShards(request: ShardRequest): ShardPlan {
  const { plan, host } = request;
  if (plan.cells.length === 0)
    throw new UsageError('rules refuse every cell of these words, so there is nothing to divide', {
      tryNext: 'npx whodunit list, with these words, names the rules',
    });
  const works = listWorks(request);
  const { division, ideal } = divide(works, request);
  const shards = division.shards.map((pieces, index) => describeShard(request, pieces, index + 1));
  const list = toListResult(plan);
  const images = listImages(shards);
  return digestPlan({
    formatVersion: FORMAT_VERSION,
    work: 'run',
    version: request.version,
    configuration: request.configuration,
    words: [...request.words],
    ...choiceOf(plan),
    host,
    estimates: plan.estimates,
    images,
    shards,
    skipped: plan.skipped.map(({ address, variant, scenario, parameters, rule, reason, source, proof }) => ({
      address,
      variant: { ...variant },
      scenario,
      ...parametersField(parameters),
      rule,
      reason,
      source,
      proof,
    })),
    notes: list.notes,
    totals: totalsOf(shards, { skipped: plan.skipped.length, images: images.length, ideal }),
  });
}

/** The totals of shards. */
export function totalsOf(
  shards: readonly PlannedShard[],
  { skipped, images, ideal }: { readonly skipped: number; readonly images: number; readonly ideal: number },
): ShardPlan['totals'] {
  const worlds = shards.flatMap((shard) => shard.worlds);
  return {
    cells: sum(worlds.map(({ cells }) => cells.length)),
    skipped,
    worlds: new Set(worlds.map(({ name }) => name)).size,
    shards: shards.length,
    images,
    estimateSeconds: sum(shards.map(({ estimateSeconds }) => estimateSeconds)),
    longestSeconds: largest(
      shards.map(({ estimateSeconds }) => estimateSeconds),
      0,
    ),
    idealSeconds: Math.round(ideal),
    memoryMiB: largest(
      shards.map(({ memoryMiB }) => memoryMiB),
      0,
    ),
  };
}

/** Gives a plan its identity: SHA-256 over all else in it. */
export function digestPlan(plan: Undigested): ShardPlan {
  const identity = { formatVersion: plan.formatVersion, plan: digestOfPlan(plan) };
  return { ...identity, ...plan, plan: identity.plan };
}

/** The identity that a plan must have. */
export function digestOfPlan(plan: Undigested & { readonly plan?: string }): string {
  return createHash('sha256')
    .update(JSON.stringify({ ...plan, plan: undefined }))
    .digest('hex');
}

function listWorks({ plan, matrix, estimator, needsOf }: ShardRequest): Work[] {
  const ofWorld = groupBy(plan.cells, ({ variant }) => variantName(variant));
  return [...ofWorld].map(([name, cells]) => {
    const variant = (cells[0] as PlannedCell).variant;
    const parent = findParent(variant, matrix).variant;
    return {
      name,
      image: needsOf(variant).image,
      ...(parent === undefined ? {} : { parent: variantName(parent) }),
      builtSeconds: estimator.world(name, 'built').seconds,
      derivedSeconds: estimator.world(name, parent === undefined ? 'built' : 'derived').seconds,
      cells,
    };
  });
}

const secondsOf = ({ estimateSeconds }: PlannedCell): number => estimateSeconds;

/** As many shards as were asked for, else as few as are short enough. */
function divide(
  works: readonly Work[],
  { shards, maxMinutes, plan }: ShardRequest,
): { division: Division<PlannedCell>; ideal: number } {
  const balancing = (count: number) => ({ shards: count, secondsOf, imageSeconds: IMAGE_SECONDS });
  const limit = (maxMinutes ?? (shards === undefined ? DEFAULT_MAX_MINUTES : Infinity)) * 60;
  const tried = (count: number): Division<PlannedCell> => balance(works, balancing(count));
  const most = Math.min(MAX_SHARDS, plan.cells.length);
  if (shards === undefined || idealSeconds(works, balancing(shards)) > limit) refuseLongCell(works, limit);
  let count = shards ?? Math.min(most, Math.max(1, Math.ceil(idealSeconds(works, balancing(1)) / limit)));
  let division = tried(count);
  if (shards !== undefined && division.longestSeconds > limit)
    throw new UsageError(
      `the longest of ${plural(shards, 'shard')} would take ${formatDuration(division.longestSeconds * 1000)}, more than --max-minutes ${limit / 60}`,
      { tryNext: 'more --shards, or only --max-minutes, which finds out how many it takes' },
    );
  while (division.longestSeconds > limit && count < most) {
    count = Math.min(most, Math.max(count + 1, Math.ceil((count * division.longestSeconds) / limit / 1.05)));
    division = tried(count);
  }
  return { division, ideal: idealSeconds(works, balancing(count)) };
}

/** @throws UsageError when a cell and its world take longer than a shard may. */
function refuseLongCell(works: readonly Work[], limitSeconds: number): void {
  for (const { builtSeconds, cells } of works)
    for (const { address, estimateSeconds } of cells) {
      const seconds = builtSeconds + IMAGE_SECONDS + estimateSeconds;
      if (seconds <= limitSeconds) continue;
      throw new UsageError(
        `no shard can be shorter than ${formatDuration(seconds * 1000)}: ${address} and its world take that long`,
        { tryNext: `--max-minutes ${Math.ceil(seconds / 60)}` },
      );
    }
}

function describeShard(
  { matrix, estimator, needsOf }: ShardRequest,
  pieces: readonly WorldPiece<PlannedCell>[],
  shard: number,
): PlannedShard {
  const cellsOf = groupBy(
    pieces.flatMap((piece) => piece.cells),
    ({ variant }) => variantName(variant),
  );
  const variants = [...cellsOf.values()].map((cells) => (cells[0] as PlannedCell).variant);
  // As the host of the shard will plan it: what is derived, and a parent that nobody asked for.
  const ways = planWorlds(variants, matrix, { saved: new Set() });
  const worlds = ways.flatMap(({ name, variant, way }) => {
    const cells = cellsOf.get(name);
    if (cells === undefined) return [];
    return {
      name,
      variant: { ...variant },
      image: needsOf(variant).image,
      estimateSeconds: estimator.world(name, way).seconds,
      cells: cells.map(({ address, loaded, sets, estimateSeconds }) => ({
        address,
        scenario: loaded.scenario.name,
        ...parametersField(loaded.parameters),
        set: [...sets],
        estimateSeconds,
      })),
    };
  });
  const extra = ways.filter(({ name }) => !cellsOf.has(name));
  const images = [...new Set(ways.map(({ variant }) => needsOf(variant).image))];
  return {
    shard,
    estimateSeconds:
      sum(
        worlds.map((world) => world.estimateSeconds + sum(world.cells.map((cell) => cell.estimateSeconds))),
      ) +
      sum(extra.map(({ name, way }) => estimator.world(name, way).seconds)) +
      images.length * IMAGE_SECONDS,
    memoryMiB: largest(
      ways.map(({ variant }) => needsOf(variant).memoryMiB),
      0,
    ),
    cpus: largest(
      ways.map(({ variant }) => needsOf(variant).cpus),
      0,
    ),
    images,
    worlds,
  };
}

function listImages(shards: readonly PlannedShard[]): ShardPlan['images'] {
  const found = new Map<string, { variant: string; shards: number[] }>();
  for (const { shard, worlds } of shards)
    for (const { image, name } of worlds) {
      const known = found.get(image) ?? { variant: name, shards: [] };
      found.set(image, known);
      if (!known.shards.includes(shard)) known.shards.push(shard);
    }
  return [...found].map(([key, known], index) => ({ image: index + 1, key, ...known }));
}
