import type { CaseFile } from './case-file.ts';
import { findLosses } from './completeness.ts';
import { refs, type Finding, type Rule } from './finding.ts';
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
import { judgeExternalSignal, judgeSelfSignal } from './rules/signal.ts';

/**
 * The rules in their order. The kernel first: after an OOM kill the runtime and kubelet still stop what is left, and
 * a signal that killed makes every request that came later irrelevant.
 */
const RULES: readonly Rule[] = [
  judgeInitOom,
  judgeOom,
  judgeReboot,
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
export function attribute(file: CaseFile): Finding {
  for (const rule of RULES) {
    const finding = rule(file);
    if (finding !== undefined) return finding;
  }
  return {
    killer: 'unknown',
    confidence: 'none',
    because: refs(
      file.end?.ref,
      file.killingSignal?.sent.ref,
      file.end === undefined ? file.viewRef : undefined,
    ),
    at: file.end?.at,
    decisive: ['kmsg', 'cgroup', 'trace'],
    note: explainMissing(file),
  };
}

function explainMissing(file: CaseFile): string {
  const losses = findLosses(file, ['kmsg', 'cgroup', 'trace', 'pods']).map(
    (each) => `${each.ref.file}: ${each.why}`,
  );
  if (losses.length > 0) return [...new Set(losses)].join('; ');
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
  return 'no OOM record, no signal in the trace and no request explain the end';
}
