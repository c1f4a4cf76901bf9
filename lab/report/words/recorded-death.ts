import type { Effective } from '../../model/saved/effective.ts';
import type { EndWords } from '../../model/evidence/end-words.ts';
import type { Attribution } from '../../model/saved/formats.ts';
import { isOomKiller, type Verdict } from '../../model/killers/killers.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';

/** One cell as it was saved: who ended the victim, and what each layer called it. */
export interface RecordedDeath {
  readonly record: CellRecord;
  readonly attribution: Attribution;
  readonly verdict: Verdict;
  /** Undefined when there was no victim. */
  readonly words: EndWords | undefined;
  /** Versions by program: kernel, kubelet, containerd, runc, crun, youki, runsc. */
  readonly versions: Effective['versions'];
  /** Whether the nodes printed these versions; else they are those that the variant asks for. */
  readonly isReadBack: boolean;
  /** Where a reader of the page finds the evidence. */
  readonly link?: string;
}

/** Which words of the API about an end are wrong. */
export interface WrongWords {
  /**
   * The reason is `OOMKilled` and no OOM kill ended the container, or it is another one although an OOM kill did. No
   * other reason names a cause: `Error` only means an exit code that is not 0.
   */
  readonly reason: boolean;
  /** The runtime itself has another exit code. */
  readonly exitCode: boolean;
}

/** Compares what the API says of an end with who caused it, and with the runtime's exit code. */
export function findWrongWords({ attribution, words }: RecordedDeath): WrongWords {
  const { container, runtimeExitCode } = words ?? {};
  const { reason, exitCode } = container ?? {};
  const isEnd = container?.state === 'terminated';
  const isKnown = attribution.killer !== 'unknown';
  return {
    reason: isEnd && isKnown && (reason === 'OOMKilled') !== isOomKiller(attribution.killer),
    exitCode: isEnd && runtimeExitCode !== undefined && exitCode !== runtimeExitCode,
  };
}
