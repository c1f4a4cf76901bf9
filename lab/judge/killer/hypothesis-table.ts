import type { Hypothesis } from './hypothesis.ts';
import { CGROUP_MISSING } from './hypotheses/cgroup-missing.ts';
import { EXTERNAL_SIGNAL } from './hypotheses/external-signal.ts';
import { INIT_OOM } from './hypotheses/init-oom.ts';
import { EARLYOOM, SYSTEMD_OOMD } from './hypotheses/memory-services.ts';
import { SURVIVAL } from './hypotheses/none.ts';
import { OOM } from './hypotheses/oom.ts';
import { PIDS_LIMIT } from './hypotheses/pids-limit.ts';
import { POD_LIFECYCLE } from './hypotheses/pod-lifecycle.ts';
import { NODE_GONE } from './hypotheses/reboot.ts';
import { REQUESTS } from './hypotheses/requested.ts';
import { RUNTIME_STOP, UNNAMED_STOP } from './hypotheses/runtime-stop.ts';
import { RUNTIME_LOST } from './hypotheses/runtime-lost.ts';
import { SANDBOX_DIED } from './hypotheses/sandbox-died.ts';
import { SECCOMP } from './hypotheses/seccomp.ts';
import { SELF_EXIT } from './hypotheses/self-exit.ts';
import { SELF_SIGNAL } from './hypotheses/self-signal.ts';
import { TWO_ASKERS } from './hypotheses/two-askers.ts';

/** Every way to the end that the judge knows. All are heard, and the order is only that of the table for a reader. */
export const HYPOTHESES: readonly Hypothesis[] = [
  INIT_OOM,
  OOM,
  NODE_GONE,
  TWO_ASKERS,
  EXTERNAL_SIGNAL,
  SYSTEMD_OOMD,
  EARLYOOM,
  SECCOMP,
  PIDS_LIMIT,
  SELF_SIGNAL,
  SANDBOX_DIED,
  RUNTIME_LOST,
  CGROUP_MISSING,
  ...REQUESTS,
  POD_LIFECYCLE,
  UNNAMED_STOP,
  RUNTIME_STOP,
  SELF_EXIT,
  SURVIVAL,
];
