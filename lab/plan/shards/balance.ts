import { largest } from '../../model/text/extremes.ts';
import { sum } from '../../model/text/sum.ts';

/** The cells of a world, as far as dividing them needs to know. */
export interface WorldWork<Cell> {
  readonly name: string;
  /** Key of its image. */
  readonly image: string;
  /** The world that it can be derived from, where a shard has that as well. */
  readonly parent?: string | undefined;
  /** Until it is ready, built from its image. */
  readonly builtSeconds: number;
  /** The same, derived from its parent. */
  readonly derivedSeconds: number;
  readonly cells: readonly Cell[];
}

/** A part of a world that one shard runs. */
export interface WorldPiece<Cell> {
  readonly world: WorldWork<Cell>;
  readonly cells: readonly Cell[];
}

/** What dividing needs to know besides the worlds. */
export interface Balancing<Cell> {
  readonly shards: number;
  readonly secondsOf: (cell: Cell) => number;
  /** What a shard pays for an image that it does not have yet. */
  readonly imageSeconds: number;
}

/** The pieces of each shard. None is empty unless there are fewer cells than shards. */
export interface Division<Cell> {
  readonly shards: readonly (readonly WorldPiece<Cell>[])[];
  /** What the longest shard takes. */
  readonly longestSeconds: number;
}

/** A shard that is being filled. */
interface Filled<Cell> {
  seconds: number;
  readonly worlds: Set<string>;
  readonly images: Set<string>;
  readonly pieces: WorldPiece<Cell>[];
}

/** What a shard may take, as multiples of what no division can be shorter than: worlds longer than that are split. */
const CAPS = [1, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.65, 1.8, 2, 2.5, Infinity];
/** Comparing a piece with a shard, so often, takes about a second. */
const MAX_COMPARISONS = 20_000_000;

/**
 * Divides worlds among shards: longest first, each into the shard that ends earliest with it (LPT: Graham, Bounds on
 * Multiprocessing Timing Anomalies, SIAM J. Appl. Math. 17(2), 1969: at most 4/3 of the optimum). A shard pays for each image and
 * for each world once, so that what shares them comes together. A world that is longer than a shard is split, and each part brings
 * it up again. Where to split is tried out: the shortest division wins, and of equal ones that with fewer parts.
 *
 * Worlds of the same length keep their order.
 */
export function balance<Cell>(
  worlds: readonly WorldWork<Cell>[],
  balancing: Balancing<Cell>,
): Division<Cell> {
  const ideal = idealSeconds(worlds, balancing);
  let best: (Division<Cell> & { readonly parts: number }) | undefined;
  let left = MAX_COMPARISONS;
  for (const cap of CAPS) {
    const pieces = worlds.flatMap((world) => split(world, ideal * cap, balancing));
    left -= pieces.length * balancing.shards;
    if (best !== undefined && left < 0) break;
    const shards = fill(pieces, balancing);
    const longestSeconds = largest(
      shards.map(({ seconds }) => seconds),
      0,
    );
    if (
      best === undefined ||
      longestSeconds < best.longestSeconds ||
      (longestSeconds === best.longestSeconds && pieces.length < best.parts)
    )
      best = { shards: shards.map((shard) => shard.pieces), longestSeconds, parts: pieces.length };
  }
  return best ?? { shards: [], longestSeconds: 0 };
}

/**
 * What no division can be shorter than, seconds. Each shard pays for an image, each part of a world brings it up, a world has as many
 * parts as its length takes, and all of that has to fit. A cell is not split.
 */
export function idealSeconds<Cell>(
  worlds: readonly WorldWork<Cell>[],
  { shards, secondsOf, imageSeconds }: Balancing<Cell>,
): number {
  const sizes = worlds.map(({ builtSeconds, derivedSeconds, cells }) => ({
    up: Math.min(builtSeconds, derivedSeconds),
    cells: sum(cells.map(secondsOf)),
    longest: largest(cells.map(secondsOf), 0),
  }));
  const fits = (limit: number): boolean => {
    const room = limit - imageSeconds;
    const work = sizes.map(({ up, cells }) => up * Math.max(1, Math.ceil(cells / (room - up))) + cells);
    return sum(work) <= room * shards;
  };
  let least =
    imageSeconds +
    largest(
      sizes.map(({ up, longest }) => up + longest),
      0,
    );
  if (fits(least)) return least;
  let most = imageSeconds + sum(sizes.map(({ up, cells }) => up + cells));
  while (most - least > EXACT_SECONDS) {
    const middle = (least + most) / 2;
    if (fits(middle)) most = middle;
    else least = middle;
  }
  return most;
}

/** How exactly the shortest length is found. */
const EXACT_SECONDS = 0.5;

/** Splits a world into as few parts as fit, each about as long as the others. */
function split<Cell>(
  world: WorldWork<Cell>,
  capSeconds: number,
  { secondsOf, imageSeconds, shards }: Balancing<Cell>,
): WorldPiece<Cell>[] {
  const { cells } = world;
  const room = capSeconds - world.builtSeconds - imageSeconds;
  const all = sum(cells.map(secondsOf));
  const wanted = room > 0 ? Math.ceil(all / room) : cells.length;
  const parts = Math.max(1, Math.min(wanted, cells.length, shards));
  if (parts === 1) return [{ world, cells }];
  const bins = Array.from({ length: parts }, () => ({ seconds: 0, at: [] as number[] }));
  const longestFirst = cells
    .map((cell, at) => ({ at, seconds: secondsOf(cell) }))
    .sort((a, b) => b.seconds - a.seconds || a.at - b.at);
  for (const { at, seconds } of longestFirst) {
    const bin = bins.reduce((least, other) => (other.seconds < least.seconds ? other : least));
    bin.seconds += seconds;
    bin.at.push(at);
  }
  return bins
    .filter((bin) => bin.at.length > 0)
    .map((bin) => ({ world, cells: bin.at.sort((a, b) => a - b).flatMap((at) => cells.slice(at, at + 1)) }));
}

function fill<Cell>(
  pieces: readonly WorldPiece<Cell>[],
  { shards, secondsOf, imageSeconds }: Balancing<Cell>,
): Filled<Cell>[] {
  const filled = Array.from({ length: shards }, (): Filled<Cell> => ({
    seconds: 0,
    worlds: new Set(),
    images: new Set(),
    pieces: [],
  }));
  const longestFirst = pieces
    .map((piece, at) => ({ piece, at, seconds: sum(piece.cells.map(secondsOf)) }))
    .sort(
      (a, b) =>
        b.seconds + b.piece.world.builtSeconds - a.seconds - a.piece.world.builtSeconds || a.at - b.at,
    );
  for (const { piece, seconds } of longestFirst) {
    const { name, image, parent, builtSeconds, derivedSeconds } = piece.world;
    const costIn = ({ worlds, images }: Filled<Cell>): number => {
      if (worlds.has(name)) return seconds;
      const up = parent !== undefined && worlds.has(parent) ? derivedSeconds : builtSeconds;
      return seconds + up + (images.has(image) ? 0 : imageSeconds);
    };
    let chosen: { readonly shard: Filled<Cell>; readonly ends: number } | undefined;
    for (const shard of filled) {
      const ends = shard.seconds + costIn(shard);
      if (chosen === undefined || ends < chosen.ends) chosen = { shard, ends };
    }
    if (chosen === undefined) break;
    const { shard, ends } = chosen;
    shard.seconds = ends;
    shard.worlds.add(name);
    shard.images.add(image);
    shard.pieces.push(piece);
  }
  return filled;
}
