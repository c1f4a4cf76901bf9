import type { ChainStep, EvidenceRef, OpenCause, RuledOut } from '../../model/saved/formats.ts';
import type { How, Killer, Level, VictimProcess } from '../../model/killers/killers.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { Source } from '../case/coverage.ts';

type Refs = readonly (EvidenceRef | undefined)[];

/** The records that show how it came to the end, by step. A step without a record is left out. */
export type Steps = Partial<Record<ChainStep['step'], Refs>>;

/** What a hypothesis says when it was heard. `weigh.ts` works out how sure that is. */
export interface Conclusion {
  readonly killer: Killer;
  readonly level?: Level | undefined;
  readonly how?: How | undefined;
  /** Which process died; left out when that is not known, or when the whole container did. */
  readonly process?: VictimProcess | undefined;
  readonly steps: Steps;
  /** The process that died, when it is not the first one of the container. */
  readonly pid?: { readonly pid: number; readonly comm: string };
  /** The time, milliseconds since the epoch. */
  readonly at?: number | undefined;
  /** Sources that must be whole: without them it could be something else. */
  readonly decisive: readonly Source[];
  /** Each, as a sentence for the reader, keeps the conclusion from being proven although every source is whole. */
  readonly doubts?: readonly string[];
  /** What is missing or odd, for the reader; for an unknown killer. */
  readonly note?: string | undefined;
  /** What it knows beyond the general answer; for an unknown killer. */
  readonly excluded?: readonly RuledOut[];
  readonly open?: readonly OpenCause[];
}

/** The references that exist, each once. */
export function refs(...found: readonly (EvidenceRef | undefined)[]): EvidenceRef[] {
  return [...new Set(found)].filter((ref) => ref !== undefined);
}

const ORDER = ['cause', 'request', 'signal', 'end', 'consequence'] as const;

/** The proof of a conclusion, step by step. */
export function becauseOf({ steps }: Conclusion): EvidenceRef[] {
  return refs(...ORDER.flatMap((step) => steps[step] ?? []));
}

/**
 * The way to the end: step by step, and by time within a step. Clocks of two sources differ by more than the time
 * between a signal and the end, so an end would come before its cause if only time counted.
 */
export function chainOf(conclusion: Conclusion): ChainStep[] {
  return orderLinks(conclusion).map(({ step, ref }) => ({ step, ...ref }));
}

/** The same, with the references themselves. */
export function orderLinks({ steps }: Conclusion): { step: ChainStep['step']; ref: EvidenceRef }[] {
  const seen = new Set<EvidenceRef>();
  return ORDER.flatMap((step) => {
    const own = refs(...(steps[step] ?? [])).filter((ref) => !seen.has(ref));
    for (const ref of own) seen.add(ref);
    return own.sort((a, b) => timeOf(a) - timeOf(b)).map((ref) => ({ step, ref }));
  });
}

/** A record without a time comes first. */
function timeOf(ref: EvidenceRef): number {
  return ref.at === '' ? 0 : Date.parse(ref.at);
}

/** The usual last step: the end in the trace, and the end that the API or the runtime reported. */
export function endRefs(file: CaseFile): EvidenceRef[] {
  return refs(file.initExit?.ref, file.end?.ref);
}
