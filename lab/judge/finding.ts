import type { Attribution, EvidenceRef } from '../model/formats.ts';
import type { How, Killer, Level, VictimProcess } from '../model/killers.ts';
import type { CaseFile } from './case-file.ts';
import type { Source } from './completeness.ts';

/** What a rule found. */
export interface Finding {
  readonly killer: Killer;
  readonly level?: Level | undefined;
  readonly how?: How | undefined;
  /** Which process died; left out when that is not known, or when it is the container as a whole. */
  readonly process?: VictimProcess | undefined;
  readonly confidence: Attribution['confidence'];
  readonly because: readonly EvidenceRef[];
  /** The process that died, when it is not the first one of the container. */
  readonly pid?: { readonly pid: number; readonly comm: string };
  /** When, milliseconds since the epoch. */
  readonly at?: number | undefined;
  /** Sources without which this could be something else. */
  readonly decisive: readonly Source[];
  /** What is missing or odd, for the reader. */
  readonly note?: string;
}

/** A rule names one killer from the case alone, or nobody. */
export type Rule = (file: CaseFile) => Finding | undefined;

/** The references that exist, each once. */
export function refs(...found: readonly (EvidenceRef | undefined)[]): EvidenceRef[] {
  return [...new Set(found)].filter((each) => each !== undefined);
}
