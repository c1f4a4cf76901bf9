import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { RuntimeEvent, SignalSent } from '../../../model/evidence/observation.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { endRefs, type Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { isWhole, type Source } from '../../case/coverage.ts';
import { EXIT_SIGKILL } from '../../records/exit-codes.ts';
import { isForOthers } from '../../case/killing-signal.ts';
import { findOwnReasons } from '../../case/requests/own-reasons.ts';
import { findSandboxEvent, findSandboxLine } from '../../case/requests/kubelet-stop.ts';
import { CUT_MS } from '../../../model/evidence/source-clocks.ts';
import { earliest, isAtMost, isBefore, isWithin } from '../../records/times.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];

/**
 * The pod's sandbox ended first, and the runtime had not stopped the pod. The kubelet then stops the containers and
 * starts the pod again ("Pod sandbox changed", kuberuntime_manager.go). With a shared process namespace the kernel
 * itself ends every process when pause, the first one, ends.
 */
const hearSandboxDied = (file: CaseFile): Conclusion | undefined => {
  const { sandbox, killingSignal } = file;
  const exitedAt = sandbox?.exit?.at;
  if (sandbox?.exit === undefined || exitedAt === undefined) return judgeByRuntime(file);
  const zap = findZap(file);
  const diedAt = earliest([exitedAt, zap?.at]) ?? exitedAt;
  // A runtime that stops the whole pod, as after a deletion, ends the sandbox too.
  if (sandbox.killingSignal !== undefined && isForOthers(sandbox.killingSignal.sender)) return undefined;
  if (killingSignal !== undefined && !['runtime', 'kernel'].includes(killingSignal.sender)) return undefined;
  const victimAt = killingSignal?.stop.at ?? file.initExit?.at ?? file.end?.at;
  if (victimAt === undefined || diedAt > victimAt) return undefined;
  // The container began in a later sandbox.
  const began = file.processes[0]?.at;
  if (began !== undefined && began > diedAt) return undefined;
  const { cause } = file.requests;
  // Somebody had asked for the end of the pod before.
  if (cause?.at !== undefined && cause.at < diedAt - CUT_MS) return undefined;
  const changed = findSandboxChanged(file, diedAt);
  return {
    killer: 'sandbox-died',
    how: 'sandbox-killed',
    steps: {
      cause: [sandbox.killingSignal?.sent.ref, findSandboxOom(file), sandbox.exit.ref],
      // With a shared namespace the kubelet finds it changed when all is over.
      ...(zap === undefined ? { request: [changed] } : { consequence: [changed] }),
      signal: [killingSignal?.sent.ref],
      end: endRefs(file),
    },
    at: victimAt,
    decisive: DECISIVE,
    doubts: [
      ...(sandbox.killingSignal === undefined ? ['nobody traced what ended the sandbox'] : []),
      ...(changed === undefined ? ['the kubelet did not say that it found the sandbox changed'] : []),
    ],
  };
};

/**
 * SIGKILL of the kernel that pause, the first process of a shared namespace, sent while it ended: it waits for all others
 * before its own end is traced (zap_pid_ns_processes of kernel/pid_namespace.c).
 */
function findZap({ killingSignal, sandbox }: CaseFile): SignalSent | undefined {
  const sent = killingSignal?.sender === 'kernel' ? killingSignal.sent : undefined;
  return sent?.senderPid === sandbox?.init.pid ? sent : undefined;
}

/**
 * Judges without a trace: the runtime logs that SIGKILL ended the sandbox before the container ended, and nobody had
 * asked.
 */
function judgeByRuntime(file: CaseFile): Conclusion | undefined {
  const { index, uids, end, first } = file;
  if (first !== undefined || end === undefined) return undefined;
  const ids = index
    .of('sandbox-created')
    .filter((sandbox) => uids.includes(sandbox.podUid))
    .map((sandbox) => sandbox.sandboxId);
  const exitOf = (id: string): RuntimeEvent | undefined =>
    index.of('runtime-exit').find((event) => event.containerId === id && event.execId === undefined);
  const exit = ids.map(exitOf).find((event) => event !== undefined);
  const own = exitOf(file.containerId);
  const isFirst = exit?.at !== undefined && own?.at !== undefined && exit.at < own.at;
  if (!isFirst || exit?.at === undefined || exit.exitStatus !== EXIT_SIGKILL) return undefined;
  const sandboxAt = exit.at;
  const isStopped = index
    .of('runtime-stop')
    .some(
      (event) =>
        event.containerId === file.containerId && isBefore(event.at, sandboxAt, { unknown: 'counts' }),
    );
  const changed = findSandboxChanged(file, sandboxAt);
  const asked = file.requests.cause !== undefined;
  if (isStopped || asked || changed === undefined || !isWhole(file, ['pods'])) return undefined;
  return {
    killer: 'sandbox-died',
    how: 'sandbox-killed',
    steps: { cause: [exit.ref], request: [changed], end: [own?.ref, end.ref] },
    at: own?.at,
    decisive: DECISIVE,
    doubts: ['nobody traced what ended the sandbox'],
  };
}

/** Whether containerd began again in the life of the container: of what ended meanwhile its log has nothing. */
function wasRuntimeAway({ index, node, from, to }: CaseFile): boolean {
  return index
    .of('runtime-restarted')
    .some((restart) => restart.node === node && isWithin(restart.at, from, to, { unknown: 'counts' }));
}

function findSandboxOom(file: CaseFile): EvidenceRef | undefined {
  const { sandbox, index } = file;
  if (sandbox === undefined) return undefined;
  return index
    .of('kernel-killed')
    .find((kill) => kill.pid === sandbox.init.pid && kill.boot === sandbox.init.boot)?.ref;
}

function findSandboxChanged(file: CaseFile, diedAt: number): EvidenceRef | undefined {
  return (findSandboxEvent(file, diedAt) ?? findSandboxLine(file, diedAt))?.ref;
}

/** Records that a sandbox of its pod ended before it, or that the kubelet found it changed. */
function listSandboxWords(file: CaseFile): EvidenceRef[] {
  const { index, uids, to, endedAt = to } = file;
  const ids = index
    .of('sandbox-created')
    .flatMap(({ sandboxId, podUid }) => (uids.includes(podUid) ? [sandboxId] : []));
  const ends = index
    .ofAny(['runtime-exit', 'runtime-gone'])
    .filter(
      ({ containerId, at }) => ids.includes(containerId) && isAtMost(at, endedAt, { unknown: 'counts' }),
    );
  const found = findOwnReasons(file).filter(({ isOfSandbox }) => isOfSandbox);
  return [...ends, ...found].map(({ ref }) => ref);
}

/** The sandbox of its pod ended first. */
export const SANDBOX_DIED: Hypothesis = {
  what: "the end of its pod's sandbox",
  needsSilence: true,
  killers: ['sandbox-died'],
  acts: ['runtime', 'kernel'],
  left: {
    sources: [['trace'], ['containerd']],
    by: 'its sandbox lived on',
    wanted: 'a trace of the sandbox (pause) of its pod',
    isSeen: (file) => file.sandbox?.exit !== undefined,
    leftOpen: (file) =>
      file.sandbox === undefined && wasRuntimeAway(file)
        ? 'nobody saw the sandbox while containerd was away, and containerd does not know how it ended'
        : undefined,
    findUnbound: listSandboxWords,
    records: ({ sandbox }) => [sandbox?.killingSignal?.sent.ref, sandbox?.exit?.ref],
  },
  hear: hearSandboxDied,
};
