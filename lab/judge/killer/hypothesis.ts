import type { EvidenceRef } from '../../model/saved/formats.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import type { Killer } from '../../model/killers/killers.ts';
import type { CaseFile } from '../case/case-file.ts';
import { describeGaps, findGaps, isTorn, type Source } from '../case/coverage.ts';
import { isUnseen, type Act, type FinalAct } from '../case/final-act.ts';
import { refs, type Conclusion } from './conclusion.ts';

/** The trace that a killer leaves if it did it, and the sources that would have it. */
export interface LeftTrace {
  /**
   * Sets of sources: when all of one set are whole, and none has the trace, then there was none. Empty: no source can
   * tell.
   */
  readonly sources: readonly (readonly Source[])[];
  /** What excludes it then, for a reader. */
  readonly by: string | ((file: CaseFile) => string);
  /** What would decide it where the sources are not whole. */
  readonly wanted: string;
  /** Whether there is such a trace, even one that fits badly. */
  readonly isSeen: (file: CaseFile) => boolean;
  /** What excludes it where something is seen that is no such trace, for a reader. */
  readonly otherwise?: string;
  /**
   * Records of that very way which no rule binds to this end: without a time, without an id, or of an unknown process. Each of
   * them leaves it open where nobody saw what ended the first process.
   */
  readonly findUnbound?: (file: CaseFile) => readonly (EvidenceRef | undefined)[];
  /** Why the records leave it open, although a source is whole or a trace of it seems to be of another end. */
  readonly leftOpen?: (file: CaseFile) => string | undefined;
  /** The records of that trace, for the certificate. */
  readonly records?: (file: CaseFile) => readonly (EvidenceRef | undefined)[];
}

/** By what a hypothesis is contradicted, for the certificate. */
export type Ground =
  | { readonly ground: 'act' | 'explained' }
  | { readonly ground: 'record'; readonly records: readonly EvidenceRef[] }
  | { readonly ground: 'silence'; readonly sources: readonly Source[] };

/** One way to the end of a container, and what it predicts. */
export interface Hypothesis {
  /** The way, for a reader: `a deletion through the API`. */
  readonly what: string;
  /** Killers that it may name; none where it only says that somebody unknown did it. */
  readonly killers: readonly Killer[];
  /** Whose act ended the first process if it is so. Another last act contradicts it. */
  readonly acts: readonly Act[];
  /** What must be there beside the act. */
  readonly left: LeftTrace;
  /** What speaks against it for certain, whatever else was seen: a sentence; undefined when nothing does. */
  readonly against?: (file: CaseFile) => string | undefined;
  /** The records that say so, for the certificate. */
  readonly recordsAgainst?: (file: CaseFile) => readonly (EvidenceRef | undefined)[];
  /** It also needs that nobody had asked, which only silence says: records that are missing may have told of somebody. */
  readonly needsSilence?: true;
  /** It is what remains: nothing of its own tells it from another one that explains the same act. */
  readonly residual?: true;
  /**
   * Looks for its links. A killer is named when all that it needs is seen; `unknown` when records speak for it that do
   * not suffice; undefined when nothing does, or something speaks against it.
   */
  readonly hear: (file: CaseFile) => Conclusion | undefined;
}

/** What became of one hypothesis. */
export type Hearing =
  | { readonly hypothesis: Hypothesis; readonly state: 'seen'; readonly conclusion: Conclusion }
  /** Open, and records speak for it. */
  | { readonly hypothesis: Hypothesis; readonly state: 'suspected'; readonly conclusion: Conclusion }
  | {
      readonly hypothesis: Hypothesis;
      readonly state: 'contradicted';
      readonly by: string;
      readonly ground: Ground;
    }
  | {
      readonly hypothesis: Hypothesis;
      readonly state: 'open';
      readonly why: string;
      readonly wanted: string;
    };

/** Hears one hypothesis: its last act first, then its links, then the traces that it would have left. */
export function hear(hypothesis: Hypothesis, file: CaseFile, final: FinalAct | undefined): Hearing {
  if (final !== undefined && !hypothesis.acts.includes(final.act))
    return { hypothesis, state: 'contradicted', by: final.says, ground: { ground: 'act' } };
  const against = hypothesis.against?.(file);
  if (against !== undefined) {
    const records = refs(...(hypothesis.recordsAgainst?.(file) ?? []));
    return { hypothesis, state: 'contradicted', by: against, ground: { ground: 'record', records } };
  }
  const conclusion = hearWhole(hypothesis, file);
  if (conclusion !== undefined)
    return { hypothesis, state: conclusion.killer === 'unknown' ? 'suspected' : 'seen', conclusion };
  const { left } = hypothesis;
  const leftOpen = left.leftOpen?.(file);
  if (leftOpen !== undefined) return { hypothesis, state: 'open', why: leftOpen, wanted: left.wanted };
  const [unbound] = isUntold(file, final) ? refs(...(left.findUnbound?.(file) ?? [])) : [];
  if (unbound !== undefined)
    return { hypothesis, state: 'open', why: sayUnbound(unbound), wanted: left.wanted };
  if (left.isSeen(file) && hypothesis.residual === true && isUnseen(file, final))
    return { hypothesis, state: 'open', why: 'nobody saw what ended the first process', wanted: left.wanted };
  if (left.isSeen(file))
    return {
      hypothesis,
      state: 'contradicted',
      by: left.otherwise ?? 'its trace is of another time, another process or another container',
      ground: { ground: 'record', records: refs(...(left.records?.(file) ?? [])) },
    };
  const gaps = left.sources.map((sources) => describeGaps(findGaps(file, sources)));
  const silent = left.sources[gaps.indexOf(undefined)];
  if (silent !== undefined) {
    const by = typeof left.by === 'string' ? left.by : left.by(file);
    return { hypothesis, state: 'contradicted', by, ground: { ground: 'silence', sources: silent } };
  }
  const why = gaps.length === 0 ? 'no source that was saved can tell' : [...new Set(gaps)].join('; ');
  return { hypothesis, state: 'open', why, wanted: left.wanted };
}

/** Whether no record shows what ended the first process, or that nothing did. */
function isUntold({ killingSignal, first }: CaseFile, final: FinalAct | undefined): boolean {
  return final === undefined && killingSignal === undefined && first === undefined;
}

function sayUnbound(ref: EvidenceRef): string {
  return `a record says so (${placeOf(ref)}), and nothing binds it to this end`;
}

/** Its conclusion; `unknown` when it counts on a silence that torn evidence does not earn. */
function hearWhole(
  { hear: hearLinks, needsSilence, what }: Hypothesis,
  file: CaseFile,
): Conclusion | undefined {
  const conclusion = hearLinks(file);
  if (conclusion === undefined || conclusion.killer === 'unknown' || needsSilence !== true || !isTorn(file))
    return conclusion;
  const { steps, at, decisive } = conclusion;
  const note = `records show ${what}, and others are missing: they may have told who had asked for its end before`;
  return { killer: 'unknown', steps, at, decisive, note };
}
