import type { DatedLine, FileClock } from './clock.ts';
import { isOfEndedBoot, type CollectedFile } from './collected.ts';
import type { PlaceOf } from './observe.ts';

/** The same boot has other times in other files: the journal dates it when journald starts. */
const SAME_BOOT_MS = 120_000;

/** When a node booted, as its kernel logs say, in milliseconds since the epoch; oldest first. */
export function findBoots(
  files: readonly CollectedFile[],
  clockOf: (file: CollectedFile) => FileClock,
): readonly number[] {
  const times = files.flatMap((file) =>
    file.kept.flatMap((one) =>
      one.entry.kind === 'kernel' && one.entry.text.startsWith('Linux version ')
        ? (clockOf(file).date(one).at ?? [])
        : [],
    ),
  );
  const boots: number[] = [];
  for (const at of times.sort((a, b) => a - b))
    if (at - (boots.at(-1) ?? Number.NEGATIVE_INFINITY) > SAME_BOOT_MS) boots.push(at);
  return boots;
}

/**
 * Places the lines of a file: on its node, in the boot of their time. Without a time they are of the last boot, or of the one
 * that a crash ended.
 */
export function placeIn(file: CollectedFile, node: string | undefined, boots: readonly number[]): PlaceOf {
  const bootOf = ({ at, between }: DatedLine): number => {
    const time = at ?? between?.to;
    const number = time === undefined ? boots.length : boots.filter((start) => start <= time).length;
    return Math.max(number, 1);
  };
  if (isOfEndedBoot(file))
    return () => ({ file: file.path, node, boot: `${node ?? ''} before ${file.path}` });
  return (_line, dated) => ({ file: file.path, node, boot: `${node ?? ''} ${bootOf(dated)}` });
}
