import type { Judgement } from '../lab/judge/judge-cell.ts';

/** What `expected.json` of a captured cell holds: the answer that the judge must give, and keep giving. */
export interface CaptureAnswer {
  readonly killer: string;
  readonly level?: string;
  readonly how?: string;
  /** Which process died: `init` or `child`. */
  readonly process?: string;
  readonly confidence: string;
  readonly verdict: string;
}

/** Reduces a judgement to the answer that is compared. */
export function answerOf({ attribution, verdict }: Judgement): CaptureAnswer {
  const { killer, level, how, process, confidence } = attribution;
  return {
    killer,
    ...(level === undefined ? {} : { level }),
    ...(how === undefined ? {} : { how }),
    ...(process === undefined ? {} : { process }),
    confidence,
    verdict,
  };
}
