import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { KernelSaid } from '../../../model/evidence/observation.ts';
import { SIGSYS } from '../../../model/evidence/signals.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { endRefs, refs, type Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import type { Source } from '../../case/coverage.ts';
import { EXIT_SIGNALLED } from '../../records/exit-codes.ts';
import { findStartedPid } from '../../records/evidence-index.ts';
import { SEEN_LATE_MS } from '../../records/tolerances.ts';
import { isNear } from '../../records/times.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];

/**
 * The seccomp profile forbade a system call. Kernels since 5.16 send SIGSYS, which the trace shows (force_sig_seccomp,
 * kernel/signal.c). Older kernels end the process without a signal: the audit record and the exit code tell
 * (kernel/seccomp.c).
 */
const hearSeccomp = (file: CaseFile): Conclusion | undefined => {
  const { killingSignal, end } = file;
  const signal =
    killingSignal?.sender === 'container' &&
    killingSignal.sent.signal === SIGSYS &&
    killingSignal.sent.code > 0
      ? killingSignal
      : undefined;
  const audit = findAudit(file);
  const exited = end?.exitCode === EXIT_SIGNALLED + SIGSYS;
  if (signal === undefined && !(audit !== undefined && exited && killingSignal === undefined))
    return undefined;
  const agree = (signal !== undefined && signal.hitInit && exited) || (audit !== undefined && exited);
  return {
    killer: 'seccomp',
    steps: { cause: [audit?.ref], signal: [signal?.sent.ref], end: endRefs(file) },
    ...(signal === undefined || signal.hitInit ? {} : { pid: signal.sent }),
    process: signal?.hitInit === false ? 'child' : 'init',
    at: signal?.sent.at ?? audit?.at ?? end?.at,
    decisive: DECISIVE,
    doubts: agree ? [] : ['the exit code is not that of SIGSYS'],
  };
};

function findAudit(file: CaseFile): KernelSaid | undefined {
  const { endedAt } = file;
  const pid = file.init?.pid ?? findStartedPid(file.index, file.containerId);
  if (pid === undefined || endedAt === undefined) return undefined;
  return file.index
    .of('kernel-said')
    .find(
      (line) =>
        line.about === 'seccomp' &&
        line.pid === pid &&
        line.node === file.node &&
        (file.init === undefined || line.boot === file.init.boot) &&
        isNear(line.at, endedAt, SEEN_LATE_MS, { unknown: 'counts' }),
    );
}

/** Audit records and signals of a forbidden call, of one that the program survived as well. */
function findTraces(file: CaseFile): EvidenceRef[] {
  const signals = file.signals.filter(({ sent }) => sent.signal === SIGSYS && sent.code > 0);
  return refs(findAudit(file)?.ref, ...signals.map(({ sent }) => sent.ref));
}

/** Audit records at the time of the end, where nobody knows the first process. */
function findStrayAudits({ index, init, containerId, node, to, endedAt = to }: CaseFile): EvidenceRef[] {
  if ((init?.pid ?? findStartedPid(index, containerId)) !== undefined) return [];
  return index
    .of('kernel-said')
    .filter(
      (line) =>
        line.about === 'seccomp' &&
        line.node === node &&
        isNear(line.at, endedAt, SEEN_LATE_MS, { unknown: 'counts' }),
    )
    .map(({ ref }) => ref);
}

/** The seccomp profile forbade a system call. */
export const SECCOMP: Hypothesis = {
  what: 'a forbidden system call',
  killers: ['seccomp'],
  acts: ['container', 'itself'],
  left: {
    sources: [['kmsg'], ['trace']],
    by: 'neither an audit record nor SIGSYS was seen',
    wanted: 'the audit records of the kernel',
    isSeen: (file) => findTraces(file).length > 0,
    records: findTraces,
    findUnbound: findStrayAudits,
  },
  hear: hearSeccomp,
};
