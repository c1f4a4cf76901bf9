import type { OpenCause, RuledOut } from '../../model/saved/formats.ts';
import type { CaseFile } from '../case/case-file.ts';
import { describeGaps, findGaps, isWhole } from '../case/coverage.ts';
import { findFinalAct, isUnseen, type FinalAct } from '../case/final-act.ts';
import { HYPOTHESES } from './hypothesis-table.ts';
import { hear, type Ground, type Hearing, type Hypothesis } from './hypothesis.ts';
import { endRefs, type Conclusion } from './conclusion.ts';

/** The answer, and what became of every hypothesis. */
export interface Attributed {
  readonly conclusion: Conclusion;
  /** What it was not, and by what. */
  readonly excluded: readonly RuledOut[];
  /** What it may have been, and what would decide it. */
  readonly open: readonly OpenCause[];
  /** What ended the first process; undefined when the records leave that open. */
  readonly final: FinalAct | undefined;
  /** Each hypothesis that is contradicted, and by what. */
  readonly grounds: readonly Excluded[];
}

/** A hypothesis that is contradicted. */
export interface Excluded {
  readonly hypothesis: Hypothesis;
  readonly ground: Ground;
}

type Seen = Extract<Hearing, { state: 'seen' }>;
type Suspected = Extract<Hearing, { state: 'suspected' }>;

/** Hears every hypothesis, and names the killer if only one is seen; else it is `unknown`. */
export function attribute(file: CaseFile, hypotheses: readonly Hypothesis[] = HYPOTHESES): Attributed {
  const final = findFinalAct(file);
  const heard = hypotheses.map((hypothesis) => hear(hypothesis, file, final));
  const seen = leaveResidual(heard.filter((hearing) => hearing.state === 'seen'));
  const suspected = heard.filter((hearing) => hearing.state === 'suspected');
  const [named, ...others] = seen;
  const rivals = suspected.filter(
    ({ hypothesis }) => named === undefined || named.hypothesis.residual === true || !hypothesis.residual,
  );
  const conclusion =
    named !== undefined && others.length === 0 && rivals.length === 0
      ? named.conclusion
      : leaveUndecided(file, seen, rivals);
  const isHeardOf = (hypothesis: Hypothesis): boolean => final === undefined || isHeard(hypothesis, file);
  return { conclusion, final, ...tabulate(heard, conclusion, !isUnseen(file, final), isHeardOf) };
}

/** What nothing of its own tells apart is explained by what does. */
function leaveResidual(seen: readonly Seen[]): Seen[] {
  const told = seen.filter(({ hypothesis }) => hypothesis.residual !== true);
  return told.length > 0 ? told : [...seen];
}

function leaveUndecided(file: CaseFile, seen: readonly Seen[], rivals: readonly Suspected[]): Conclusion {
  const [rival] = rivals;
  if (rival !== undefined) return rival.conclusion;
  if (seen.length === 0) return leaveUnexplained(file);
  const names = seen.map(({ hypothesis }) => hypothesis.what);
  return {
    killer: 'unknown',
    steps: {
      cause: seen.flatMap(({ conclusion }) => conclusion.steps.cause ?? []),
      request: seen.flatMap(({ conclusion }) => conclusion.steps.request ?? []),
      signal: seen.flatMap(({ conclusion }) => conclusion.steps.signal ?? []),
      end: endRefs(file),
    },
    at: seen[0]?.conclusion.at,
    decisive: [],
    note: `records show ${names.join(' and ')}, and nothing tells which of them ended it`,
  };
}

function leaveUnexplained(file: CaseFile): Conclusion {
  return {
    killer: 'unknown',
    steps: {
      signal: [file.killingSignal?.sent.ref],
      end: file.end === undefined ? [file.viewRef, ...endRefs(file)] : endRefs(file),
    },
    at: file.end?.at,
    decisive: ['kmsg', 'cgroup', 'trace'],
    note: explainMissing(file),
  };
}

/** Whether a source that would have its trace is whole. */
function isHeard({ left }: Hypothesis, file: CaseFile): boolean {
  return left.sources.some((sources) => isWhole(file, sources));
}

const EXPLAINED = 'another one explains the same records';
const UNSEEN_END = 'the same records may be of it: nobody saw what ended the first process';
const UNHEARD = 'the same records may be of it: the source that would tell of it is not whole';

/**
 * What became of all hypotheses but the named one. That another one explains the same records excludes it only where the last
 * act was seen, and where a source that would tell of it was heard if that act would be its own.
 */
function tabulate(
  heard: readonly Hearing[],
  { killer, excluded = [], open = [], note }: Conclusion,
  isEndSeen: boolean,
  isHeardOf: (hypothesis: Hypothesis) => boolean,
): Pick<Attributed, 'excluded' | 'open' | 'grounds'> {
  const table = { excluded: [...excluded], open: [...open], grounds: new Array<Excluded>() };
  const exclude = (hypothesis: Hypothesis, by: string, ground: Ground): void => {
    table.excluded.push({ what: hypothesis.what, by });
    table.grounds.push({ hypothesis, ground });
  };
  const isTold = heard.some(
    ({ state, hypothesis }) =>
      state === 'seen' && hypothesis.residual !== true && hypothesis.killers.includes(killer),
  );
  for (const hearing of heard) {
    const { hypothesis } = hearing;
    const { what, killers, left } = hypothesis;
    if (hearing.state === 'contradicted') exclude(hypothesis, hearing.by, hearing.ground);
    else if (hypothesis.residual === true && isTold) {
      if (killers.length === 0 || (isEndSeen && isHeardOf(hypothesis)))
        exclude(hypothesis, EXPLAINED, { ground: 'explained' });
      else table.open.push({ what, why: isEndSeen ? UNHEARD : UNSEEN_END, wanted: left.wanted });
    } else if (hearing.state === 'open') table.open.push({ what, why: hearing.why, wanted: hearing.wanted });
    else if (killer === 'unknown' && hearing.conclusion.note !== note)
      table.open.push({
        what,
        why: hearing.conclusion.note ?? 'records show it, and another one as well',
        wanted: hypothesis.left.wanted,
      });
    else if (killer !== 'unknown' && !killers.includes(killer))
      exclude(hypothesis, EXPLAINED, { ground: 'explained' });
  }
  return table;
}

function explainMissing(file: CaseFile): string {
  const gaps = describeGaps(findGaps(file, ['kmsg', 'cgroup', 'trace', 'pods']));
  if (gaps !== undefined) return gaps;
  if (file.end === undefined) {
    const state =
      file.view === undefined
        ? 'does not exist'
        : [file.view.state, file.view.reason].filter(Boolean).join(': ');
    return `no end of the container was seen; it ${file.view === undefined ? state : `is ${state}`}`;
  }
  if (file.killingSignal?.sender === 'kernel') {
    return 'the kernel sent the signal, and no OOM record of this container explains why';
  }
  if (file.killingSignal?.sender === 'unseen') {
    return 'nobody saw who sent the signal: neither its name nor its cgroup could be read';
  }
  return 'no OOM record, no signal in the trace and no request explain the end';
}
