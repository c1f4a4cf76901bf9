import type { Hypothesis } from './hypothesis.ts';
import { CGROUP_MISSING } from './rules/cgroup-missing.ts';
import { EXTERNAL_SIGNAL } from './rules/external-signal.ts';
import { INIT_OOM } from './rules/init-oom.ts';
import { EARLYOOM, SYSTEMD_OOMD } from './rules/memory-services.ts';
import { SURVIVAL } from './rules/none.ts';
import { OOM } from './rules/oom.ts';
import { PIDS_LIMIT } from './rules/pids-limit.ts';
import { NODE_GONE } from './rules/reboot.ts';
import { REQUESTS, RUNTIME_STOP, UNNAMED_STOP } from './rules/requested.ts';
import { RUNTIME_LOST } from './rules/runtime-lost.ts';
import { SANDBOX_DIED } from './rules/sandbox-died.ts';
import { SECCOMP } from './rules/seccomp.ts';
import { SELF_EXIT } from './rules/self-exit.ts';
import { SELF_SIGNAL } from './rules/self-signal.ts';
import { TWO_ASKERS } from './rules/two-askers.ts';

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
  UNNAMED_STOP,
  RUNTIME_STOP,
  SELF_EXIT,
  SURVIVAL,
];
