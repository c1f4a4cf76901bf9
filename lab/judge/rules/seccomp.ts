import type { KernelSaid } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole, type Source } from '../completeness.ts';
import { refs, type Rule } from '../finding.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];
const SIGSYS = 31;
/** The audit record is written before the process ends. */
const AUDITED_MS = 2000;

/**
 * A system call that the seccomp profile forbids. Kernels since 5.16 send a traced SIGSYS (force_sig_seccomp, kernel/signal.c);
 * older ones end the process without any signal, and only the audit record and the exit code tell (kernel/seccomp.c).
 */
export const judgeSeccomp: Rule = (file) => {
  const { killingSignal, end, initExit } = file;
  const signal =
    killingSignal?.sender === 'container' &&
    killingSignal.sent.signal === SIGSYS &&
    killingSignal.sent.code > 0
      ? killingSignal
      : undefined;
  const audit = findAudit(file);
  const exited = end?.exitCode === 128 + SIGSYS;
  if (signal === undefined && !(audit !== undefined && exited && killingSignal === undefined))
    return undefined;
  const agree = (signal !== undefined && signal.hitInit && exited) || (audit !== undefined && exited);
  return {
    killer: 'seccomp',
    confidence: agree && isWhole(file, DECISIVE) ? 'proven' : 'likely',
    because: refs(audit?.ref, signal?.sent.ref, initExit?.ref, end?.ref),
    ...(signal === undefined || signal.hitInit ? {} : { pid: signal.sent }),
    process: signal?.hitInit === false ? 'child' : 'init',
    at: signal?.sent.at ?? audit?.at ?? end?.at,
    decisive: DECISIVE,
  };
};

function findAudit(file: CaseFile): KernelSaid | undefined {
  const { init, endedAt } = file;
  if (init === undefined || endedAt === undefined) return undefined;
  return file.observations.find(
    (each): each is KernelSaid =>
      each.kind === 'kernel-said' &&
      each.about === 'seccomp' &&
      each.pid === init.pid &&
      each.boot === init.boot &&
      Math.abs(endedAt - (each.at ?? 0)) <= AUDITED_MS,
  );
}
