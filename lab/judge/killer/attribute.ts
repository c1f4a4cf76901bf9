import type { CaseFile } from '../case/case-file.ts';
import { endRefs, type Conclusion, type Rule } from './rules/conclusion.ts';
import { describeGaps, findGaps } from '../case/coverage.ts';
import { judgeCgroupMissing } from './rules/cgroup-missing.ts';
import { judgeInitOom } from './rules/init-oom.ts';
import { judgeSurvival } from './rules/none.ts';
import { judgeOom } from './rules/oom.ts';
import { judgePidsLimit } from './rules/pids-limit.ts';
import { judgeReboot } from './rules/reboot.ts';
import { judgeRequestedStop } from './rules/requested.ts';
import { judgeRuntimeLost } from './rules/runtime-lost.ts';
import { judgeSandboxDied } from './rules/sandbox-died.ts';
import { judgeSeccomp } from './rules/seccomp.ts';
import { judgeSelfExit } from './rules/self-exit.ts';
import { judgeExternalSignal, judgeSelfSignal, judgeTwoAskers } from './rules/signal.ts';

/**
 * The rules, in the order of what ended the first process: it never ran; the kernel, its node or a signal ended it; the
 * runtime ended it, for whoever asked (the more special reasons first); it ended by itself; it lives. Each rule looks
 * at the end first, so few rules fit the same end.
 */
const RULES: readonly Rule[] = [
  judgeInitOom,
  judgeOom,
  judgeReboot,
  judgeTwoAskers,
  judgeExternalSignal,
  judgeSeccomp,
  judgePidsLimit,
  judgeSelfSignal,
  judgeSandboxDied,
  judgeRuntimeLost,
  judgeCgroupMissing,
  judgeRequestedStop,
  judgeSelfExit,
  judgeSurvival,
];

/** Names the killer, or says `unknown` and what is missing. */
export function attribute(file: CaseFile): Conclusion {
  for (const rule of RULES) {
    const conclusion = rule(file);
    if (conclusion !== undefined) return conclusion;
  }
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
