import type { CaseFile } from '../../case/case-file.ts';
import { endRefs, type Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { isWhole, type Source } from '../../case/coverage.ts';
import { findFinalAct, NOT_FOUND } from '../../case/final-act.ts';
import { SI_KERNEL, SIGKILL } from '../../../model/evidence/signals.ts';
import type { SignalSent } from '../../../model/evidence/observation.ts';
import { EXIT_UNKNOWN } from '../../records/exit-codes.ts';
import { isForOthers } from '../../case/killing-signal.ts';
import { CUT_MS, SAME_NODE_MS } from '../../../model/evidence/source-clocks.ts';
import { CLEANUP_MS, FOLLOWS_MS } from '../../records/tolerances.ts';
import { hearForgottenSandbox } from './forgotten-sandbox.ts';
import { findFirstAct } from '../../case/requests/kubelet-stop.ts';
import { isAtLeast, isAtMost, isBefore, isWithin } from '../../records/times.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];

/**
 * The runtime lost the container. Its shim, the parent of its first process, was killed, and containerd removed what
 * was left. Or containerd restarted, and did not find the task of the container or of its sandbox again.
 */
const hearRuntimeLost = (file: CaseFile): Conclusion | undefined => {
  const found = judgeShim(file) ?? judgeCutOff(file) ?? judgeRestart(file) ?? hearForgottenSandbox(file);
  if (found === undefined) return leaveToRuntime(file);
  return { ...found, doubts: [...(found.doubts ?? []), ...doubtOwnEnd(file)] };
};

/** Whether its end is reported as that of a container which was not found any more, and the log of the runtime was not heard. */
function isReportedLost(file: CaseFile): boolean {
  return NOT_FOUND.includes(file.end?.reason ?? '') && !isWhole(file, ['containerd']);
}

const REPORTED_LOST =
  'its end is reported as that of a container which the runtime lost, and the log of the runtime was not heard';

/**
 * That it ended without a signal does not tell whether the runtime was away, for which the report speaks. A signal to its shim
 * explains the report.
 */
function leaveToRuntime(file: CaseFile): Conclusion | undefined {
  const isExplained = file.shimKills.length > 0;
  if (findFinalAct(file)?.act !== 'itself' || isExplained || !isReportedLost(file)) return undefined;
  return {
    killer: 'unknown',
    steps: { end: endRefs(file) },
    at: file.initExit?.at ?? file.end?.at,
    decisive: [...DECISIVE, 'containerd'],
    note: REPORTED_LOST,
  };
}

/** A program may end by itself while the runtime is away: nobody ended it, and nobody kept its code. */
function doubtOwnEnd(file: CaseFile): string[] {
  return findFinalAct(file)?.act === 'itself'
    ? ['no signal ended it: it may have ended by itself while the runtime was away']
    : [];
}

function judgeShim(file: CaseFile): Conclusion | undefined {
  const { killingSignal, index } = file;
  const endedAt = file.initExit?.at ?? file.endedAt;
  if (endedAt === undefined) return undefined;
  if (killingSignal !== undefined && !isForOthers(killingSignal.sender)) return undefined;
  const before = killingSignal?.stop.at ?? endedAt;
  const shim = file.shimKills.find(
    ({ sent: { at } }) => at !== undefined && at <= before && before - at <= CLEANUP_MS,
  )?.sent;
  if (shim?.at === undefined) return undefined;
  const shimAt = shim.at;
  if (mayBeOomOf(file, shim)) return leaveToKernel(file, shim);
  const { cause } = file.requests;
  // Somebody had asked for its end before the shim went.
  if (cause?.at !== undefined && cause.at < shimAt - CUT_MS) return undefined;
  const gone = index
    .of('runtime-gone')
    .find(
      (event) => event.node === file.node && isAtLeast(event.at, shimAt - CUT_MS, { unknown: 'does not' }),
    );
  // A container outlives its conmon: the kubelet's stop, which came later, ended it.
  const firstAct = findFirstAct(file);
  const isStoppedSince =
    cause !== undefined &&
    firstAct !== undefined &&
    firstAct.from > shimAt &&
    !isAtMost(gone?.at, firstAct.to, { unknown: 'does not' });
  if (isStoppedSince) return undefined;
  const isFault = shim.signal !== SIGKILL;
  // A fault may be caught, and the runtime then end the container for somebody who asked.
  const isAsked =
    cause !== undefined || index.of('runtime-stop').some((event) => event.containerId === file.containerId);
  if (isFault && isAsked) return undefined;
  // It outlived its shim, and no signal ended it: whatever cleans up after a shim sends one.
  const isOwnEnd = killingSignal === undefined && file.initExit !== undefined && isWhole(file, ['trace']);
  if (isOwnEnd && endedAt - shimAt > FOLLOWS_MS) return undefined;
  return {
    killer: 'runtime-lost',
    ...(isFault ? {} : { how: 'shim-killed' as const }),
    steps: { cause: [shim.ref, gone?.ref], signal: [killingSignal?.sent.ref], end: endRefs(file) },
    at: killingSignal?.sent.at ?? endedAt,
    decisive: DECISIVE,
    doubts: [
      ...(gone === undefined ? ['containerd did not say that it lost the shim'] : []),
      ...(isFault ? ['its shim had a fault, and nobody saw the shim end'] : []),
    ],
  };
}

/** The kernel's own SIGKILL is an OOM kill by all appearances, and the line that names what it took may be lost. */
function mayBeOomOf(file: CaseFile, { signal, code }: SignalSent): boolean {
  return signal === SIGKILL && code === SI_KERNEL && !isWhole(file, ['kmsg']);
}

function leaveToKernel(file: CaseFile, { ref, at }: SignalSent): Conclusion {
  const note = 'the kernel killed what held the container, and its log, which would say why, has a gap';
  return { killer: 'unknown', steps: { cause: [ref], end: endRefs(file) }, at, decisive: DECISIVE, note };
}

/**
 * Nobody saw a signal to the shim, but it went first: containerd lost its connection to it before it knew of any end,
 * or before it sent its own signal to what was left. And nobody had asked for the end.
 */
function judgeCutOff(file: CaseFile): Conclusion | undefined {
  const { index, containerId, first, end, node, killingSignal } = file;
  if (end === undefined || containerId === '') return undefined;
  if (killingSignal !== undefined && !isForOthers(killingSignal.sender)) return undefined;
  const isOwn = (event: { containerId: string; node: string | undefined }): boolean =>
    event.containerId === containerId && event.node === node;
  const gone = index.of('runtime-gone').find(isOwn);
  const cut = index.of('runtime-cut-off').find(isOwn) ?? (killingSignal === undefined ? undefined : gone);
  if (cut?.at === undefined || gone === undefined) return undefined;
  const cutAt = cut.at;
  const endedAt = killingSignal?.stop.at ?? file.initExit?.at;
  if (first !== undefined && (endedAt === undefined || cutAt > endedAt - SAME_NODE_MS)) return undefined;
  const isEarlier = (event: { at: number | undefined }): boolean =>
    isBefore(event.at, cutAt, { unknown: 'does not' });
  const isExplained =
    index.of('runtime-stop').some((event) => isOwn(event) && isEarlier(event)) ||
    index.of('runtime-restarted').some((restart) => restart.node === node && isEarlier(restart)) ||
    file.requests.cause !== undefined;
  if (isExplained) return undefined;
  return {
    killer: 'runtime-lost',
    steps: { cause: [cut.ref, gone.ref], signal: [killingSignal?.sent.ref], end: endRefs(file) },
    at: cutAt,
    decisive: DECISIVE,
    doubts: ['nobody saw what ended the shim'],
  };
}

function judgeRestart(file: CaseFile): Conclusion | undefined {
  const { end, bootEnded, index, first } = file;
  if (end?.exitCode !== EXIT_UNKNOWN || end.reason !== 'Unknown' || bootEnded !== undefined) return undefined;
  if (file.killingSignal !== undefined) return undefined;
  // A node that boots again starts containerd too: a whole trace, or one boot id, excludes that.
  if (first === undefined ? !isSameBoot(file) : !isWhole(file, ['trace'])) return undefined;
  const restarted = index
    .of('runtime-restarted')
    .find(
      (restart) =>
        restart.node === file.node &&
        isWithin(restart.at, file.from, file.to + CLEANUP_MS, { unknown: 'does not' }),
    );
  if (restarted === undefined) return undefined;
  return {
    killer: 'runtime-lost',
    how: 'runtime-restarted',
    steps: { cause: [restarted.ref], end: endRefs(file) },
    at: file.initExit?.at ?? restarted.at,
    decisive: [...DECISIVE, 'containerd'],
    doubts: first === undefined ? ['nobody traced its end'] : [],
  };
}

/** Whether the node had one boot id before and after the end. */
function isSameBoot(file: CaseFile): boolean {
  const seen = file.index
    .of('node-seen')
    .filter((version) => version.name === file.node && version.bootId !== '');
  const told = file.versions.find((version) => version.ref === file.end?.ref)?.at ?? file.end?.at;
  // What comes after the API heard of the end is of no account.
  return seen.some(
    (version) => version.bootId === seen[0]?.bootId && isAtLeast(version.at, told, { unknown: 'does not' }),
  );
}

/** The runtime lost the container. */
export const RUNTIME_LOST: Hypothesis = {
  what: 'a runtime that lost it',
  killers: ['runtime-lost'],
  acts: ['runtime', 'itself'],
  left: {
    sources: [['trace'], ['containerd']],
    by: 'neither its shim nor the runtime ended before it',
    wanted: 'the log of the runtime at the time of the end',
    isSeen: (file) => file.shimKills.length > 0,
    leftOpen: (file) => (isReportedLost(file) ? REPORTED_LOST : undefined),
    records: (file) => file.shimKills.map(({ sent }) => sent.ref),
  },
  hear: hearRuntimeLost,
};
