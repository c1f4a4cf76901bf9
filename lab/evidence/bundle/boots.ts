import { isFirstOfBoot } from '../../model/evidence/boot-lines.ts';
import type { FileClock } from './clock.ts';
import { isOfEndedBoot, lastBootOf, type CollectedFile } from './collected.ts';
import type { PlaceOf } from './observe.ts';

/** The same boot has other times in other files: the journal dates it when journald starts. */
const SAME_BOOT_MS = 120_000;

/**
 * When a node booted, as its kernel logs say, in milliseconds since the epoch; oldest first. A boot that had begun before any log
 * did is at negative infinity.
 */
export function findBoots(
  files: readonly CollectedFile[],
  clockOf: (file: CollectedFile) => FileClock,
): readonly number[] {
  const starts = files.flatMap((file) => startsIn(file, clockOf(file)));
  const boots: number[] = [];
  for (const { at } of starts.toSorted((one, other) => one.at - other.at))
    if (at - (boots.at(-1) ?? Number.NEGATIVE_INFINITY) > SAME_BOOT_MS) boots.push(at);
  const [oldest = 0] = boots;
  const hasOlder = starts.some(({ since }) => since !== undefined && since < oldest - SAME_BOOT_MS);
  return hasOlder ? [Number.NEGATIVE_INFINITY, ...boots] : boots;
}

/** When a machine booted, as a file says, and since when the file has lines of another boot before it. */
function startsIn(
  { first, kept }: CollectedFile,
  clock: FileClock,
): { readonly at: number; readonly since: number | undefined }[] {
  return kept.flatMap((one) => {
    if (one.entry.kind !== 'kernel' || !isFirstOfBoot(one.entry.text)) return [];
    const { at } = clock.date(one);
    const isLater = first !== undefined && first.boot < one.boot;
    return at === undefined ? [] : [{ at, since: isLater ? clock.date(first).at : undefined }];
  });
}

/**
 * Places the lines of a file: on its node, in the boot of their time. Without a time they are of the last boot, or of one that was
 * over before.
 */
export function placeIn(file: CollectedFile, node: string | undefined, boots: readonly number[]): PlaceOf {
  const last = lastBootOf(file);
  const bootBy = (time: number | undefined): string => {
    const number = time === undefined ? boots.length : boots.filter((start) => start <= time).length;
    return `${node ?? ''} ${Math.max(number, 1)}`;
  };
  return (boot, { at, between }) => {
    const isOver = at === undefined && (boot < last || isOfEndedBoot(file));
    return { file: file.path, node, boot: isOver ? overBoot(file, node, boot) : bootBy(at ?? between?.to) };
  };
}

/** A boot that was over before the last one of the node, and of which nothing tells when it was. */
function overBoot(file: CollectedFile, node: string | undefined, boot: number): string {
  return `${node ?? ''} before ${file.path}${boot < lastBootOf(file) ? ` boot ${boot + 1}` : ''}`;
}
