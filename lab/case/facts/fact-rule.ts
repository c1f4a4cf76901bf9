import type { FactName, FactRole } from '../../model/saved/case.ts';

/** How a fact is known by its words. */
export interface FactRule {
  readonly name: FactName;
  /** Its first group is the value, or the whole match where it has none. */
  readonly words: RegExp;
  /** The value, where it is not what the words say. */
  readonly value?: string;
  /** The value in the output of a test that failed: what it did not find is what it looked for. */
  readonly ofFailedTest?: string;
  readonly role?: FactRole;
  /** The rule counts only below such a heading. */
  readonly below?: RegExp;
  /** It names no program: a word right before it that is a name has the version. */
  readonly isBare?: boolean;
}

/** Letters of either size, wherever they are. */
export function words(text: string): RegExp {
  return new RegExp(text, 'gi');
}
