import type { Judgement } from '../lab/judge/verdict/judge-cell.ts';
import { describeBoundResult } from '../lab/report/words/measure-lines.ts';

/** What `expected.json` of a captured cell holds: the answer that the judge must give, and keep giving. */
export interface CaptureAnswer {
  readonly killer: string;
  readonly level?: string;
  readonly how?: string;
  /** Which process died: `init` or `child`. */
  readonly process?: string;
  readonly confidence: string;
  readonly verdict: string;
  /** What was expected of measures, and whether it holds. */
  readonly measures?: readonly string[];
}

/** Reduces a judgement to the answer that is compared. */
export function answerOf({ attribution, verdict, measures = [] }: Judgement): CaptureAnswer {
  const { killer, level, how, process, confidence } = attribution;
  const bounds = measures.flatMap((result) =>
    result.bounds.map((bound) => `${result.measure}: ${describeBoundResult(result, bound)}`),
  );
  return {
    killer,
    ...(level === undefined ? {} : { level }),
    ...(how === undefined ? {} : { how }),
    ...(process === undefined ? {} : { process }),
    confidence,
    verdict,
    ...(bounds.length === 0 ? {} : { measures: bounds }),
  };
}
