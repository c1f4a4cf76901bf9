import type { BisectResult, DifferenceResult } from '../../model/saved/search.ts';
import { shellWord } from '../../model/text/shell.ts';

/** The command that asks the same again. */
export function spellBisect({ address, axis, good, bad, what }: BisectResult): string {
  return `npx whodunit bisect ${shellWord(address)} --axis ${axis} --good ${shellWord(good)} --bad ${shellWord(bad)} --what ${what.join(',')}`;
}

/** The command that asks the same again. */
export function spellDifference({ red, green, what }: DifferenceResult): string {
  return `npx whodunit difference ${shellWord(red)} ${shellWord(green)} --what ${what.join(',')}`;
}
