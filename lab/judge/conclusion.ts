import type { ChainStep, EvidenceRef, OpenCause, RuledOut } from '../model/formats.ts';
import type { How, Killer, Level, VictimProcess } from '../model/killers.ts';
import type { CaseFile } from './case-file.ts';
import type { Source } from './coverage.ts';

type Refs = readonly (EvidenceRef | undefined)[];

/** The records that show how it came to the end, by step; a step that nobody recorded is left out. */
export type Steps = Partial<Record<ChainStep['step'], Refs>>;

/** What a rule concluded. How sure that is, is worked out in one place (`confidence.ts`). */
export interface Conclusion {
  readonly killer: Killer;
  readonly level?: Level | undefined;
  readonly how?: How | undefined;
  /** Which process died; left out when that is not known, or when it is the container as a whole. */
  readonly process?: VictimProcess | undefined;
  readonly steps: Steps;
  /** The process that died, when it is not the first one of the container. */
  readonly pid?: { readonly pid: number; readonly comm: string };
  /** When, milliseconds since the epoch. */
  readonly at?: number | undefined;
  /** Sources without which this could be something else. */
  readonly decisive: readonly Source[];
  /** What keeps it from being proven although every source is whole; each a reason for the reader. */
  readonly lacks?: readonly string[];
  /** What is missing or odd, for the reader. */
  readonly note?: string | undefined;
  /** Of an unknown killer, when the rule knows more than the general answer. */
  readonly excluded?: readonly RuledOut[];
  readonly open?: readonly OpenCause[];
}

/** A rule names one killer from the case alone, or nobody. */
export type Rule = (file: CaseFile) => Conclusion | undefined;

/** The references that exist, each once. */
export function refs(...found: readonly (EvidenceRef | undefined)[]): EvidenceRef[] {
  return [...new Set(found)].filter((each) => each !== undefined);
}

const ORDER = ['cause', 'request', 'signal', 'end', 'consequence'] as const;

/** The proof of a conclusion, step by step. */
export function becauseOf({ steps }: Conclusion): EvidenceRef[] {
  return refs(...ORDER.flatMap((step) => steps[step] ?? []));
}

/**
 * The way to the end: step by step, and within a step in the order of time. Clocks of two sources differ by more than lies
 * between a signal and the end, so time alone would put an end before its cause.
 */
export function chainOf({ steps }: Conclusion): ChainStep[] {
  const seen = new Set<EvidenceRef>();
  return ORDER.flatMap((step) => {
    const own = refs(...(steps[step] ?? [])).filter((ref) => !seen.has(ref));
    for (const ref of own) seen.add(ref);
    return own.sort((a, b) => timeOf(a) - timeOf(b)).map((ref) => ({ step, ...ref }));
  });
}

/** What has no time comes first. */
function timeOf(ref: EvidenceRef): number {
  return ref.at === '' ? 0 : Date.parse(ref.at);
}

/** The usual last step: the end in the trace, and as the API or the runtime reported it. */
export function endRefs(file: CaseFile): EvidenceRef[] {
  return refs(file.initExit?.ref, file.end?.ref);
}
