import type { BisectResult, DifferenceResult } from '../../model/saved/search.ts';
import { shellWord } from '../../model/text/shell.ts';

/** Returns the command that repeats a search for a version. */
export function spellBisect({ address, axis, good, bad, what }: BisectResult): string {
  return `npx whodunit bisect ${shellWord(address)} --axis ${axis} --good ${shellWord(good)} --bad ${shellWord(bad)} --what ${what.join(',')}`;
}

/** Returns the command that repeats a search for a difference. */
export function spellDifference({ red, green, what }: DifferenceResult): string {
  return `npx whodunit difference ${shellWord(red)} ${shellWord(green)} --what ${what.join(',')}`;
}
