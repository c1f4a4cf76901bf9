import { runInThread } from '../../drivers/programs/thread.ts';
import type { Judgement } from '../../judge/verdict/judge-cell.ts';
import { LabError, type ErrorCode, type ErrorDetails } from '../../model/errors/errors.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import type { Host } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { judgeFolder } from '../cell/judge-folder.ts';
import { packFacts, tellFacts } from './kept-facts.ts';

/** What is judged. */
export interface AskedJudgement {
  /** Where its evidence is. */
  readonly folder: string;
  readonly record: CellRecord;
}

/** What the judge says of it, and what a report will show of the evidence; undefined where that cannot be said. */
interface JudgedAside {
  readonly now: Judgement;
  readonly facts: Uint8Array | undefined;
}

/** An error of ours, which the copy that leaves a thread would be without its code. */
interface ThrownAside {
  readonly thrown: ErrorDetails & { readonly code: ErrorCode; readonly message: string };
}

/**
 * Judges the evidence of a cell in a thread of its own: an interrupt is answered meanwhile, however much evidence there is.
 *
 * @returns undefined when an interrupt came first.
 * @throws LabError as `judgeFolder` does.
 */
export async function judgeAside(
  { clock, signal }: Pick<Host, 'clock' | 'signal'>,
  asked: AskedJudgement,
): Promise<JudgedAside | undefined> {
  const limits = { clock, signal, graceMs: TIME_LIMITS.cell.judging.ms };
  const answer = (await runInThread('judge-thread.mjs', asked, limits)) as
    JudgedAside | ThrownAside | undefined;
  if (answer === undefined || !('thrown' in answer)) return answer;
  const { code, message, ...details } = answer.thrown;
  throw new LabError(code, message, details);
}

/** What the thread does: it judges, and posts what this returns. */
export function judgeInThread({ folder, record }: AskedJudgement): JudgedAside | ThrownAside {
  try {
    const read = judgeFolder(folder, record);
    return { now: read.now, facts: tryPack(read) };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const { code, message, lastSeen = '', tryNext = '', log = '' } = error;
    const details = Object.entries({ lastSeen, tryNext, log }).filter(([, text]) => text !== '');
    return { thrown: { code, message, ...Object.fromEntries(details) } };
  }
}

/** The report meets again what is wrong here, and says so; no verdict depends on it. */
function tryPack({
  files,
  record,
  observations,
  now,
}: ReturnType<typeof judgeFolder>): Uint8Array | undefined {
  try {
    return packFacts(tellFacts(files, now.attribution, { record, observations }));
  } catch {
    return undefined;
  }
}
