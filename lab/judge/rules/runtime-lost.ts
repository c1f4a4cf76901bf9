import type { CaseFile } from '../case-file.ts';
import { endRefs, type Conclusion, type Rule } from '../conclusion.ts';
import { isWhole, type Source } from '../coverage.ts';
import { isForOthers, SIGKILL } from '../killing-signal.ts';
import { CLEANUP_MS, CUT_MS, SAME_NODE_MS } from '../tolerances.ts';
import { judgeForgottenSandbox } from './forgotten-sandbox.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];
/** What containerd reports of a task that it does not find again (internal/cri/server/restart.go, `unknownExitCode`). */
const UNKNOWN_EXIT = 255;

/**
 * The runtime lost the container: its shim, the parent of its first process, was killed, and containerd removes what is
 * left; or containerd itself started anew and did not find the task of the container, or of its sandbox, again.
 */
export const judgeRuntimeLost: Rule = (file) =>
  judgeShim(file) ?? judgeCutOff(file) ?? judgeRestart(file) ?? judgeForgottenSandbox(file);

function judgeShim(file: CaseFile): Conclusion | undefined {
  const { killingSignal, index } = file;
  const endedAt = file.initExit?.at ?? file.endedAt;
  if (endedAt === undefined) return undefined;
  if (killingSignal !== undefined && !isForOthers(killingSignal.sender)) return undefined;
  const before = killingSignal?.stop.at ?? endedAt;
  const shim = file.shimKills.find(
    ({ sent }) => (sent.at ?? 0) <= before && before - (sent.at ?? 0) <= CLEANUP_MS,
  )?.sent;
  if (shim === undefined) return undefined;
  const { cause } = file.requests;
  // Somebody had asked for its end before the shim was gone.
  if (cause?.at !== undefined && cause.at < (shim.at ?? 0) - CUT_MS) return undefined;
  const gone = index
    .of('runtime-gone')
    .find((each) => each.node === file.node && (each.at ?? 0) >= (shim.at ?? 0) - CUT_MS);
  const note = gone === undefined ? 'containerd did not say that it lost the shim' : undefined;
  const isFault = shim.signal !== SIGKILL;
  // A fault may be caught, and the runtime then end the container for somebody who asked.
  const isAsked =
    cause !== undefined || index.of('runtime-stop').some((each) => each.containerId === file.containerId);
  if (isFault && isAsked) return undefined;
  return {
    killer: 'runtime-lost',
    ...(isFault ? {} : { how: 'shim-killed' as const }),
    steps: { cause: [shim.ref, gone?.ref], signal: [killingSignal?.sent.ref], end: endRefs(file) },
    at: killingSignal?.sent.at ?? endedAt,
    decisive: DECISIVE,
    lacks: [
      ...(note === undefined ? [] : [note]),
      ...(isFault ? ['its shim had a fault, and nobody saw the shim end'] : []),
    ],
    note,
  };
}

/**
 * Nobody was seen to signal the shim, and yet it went first: containerd lost its connection to it before it knew of any
 * end, or before it sent its own signal to what was left, and nobody had asked.
 */
function judgeCutOff(file: CaseFile): Conclusion | undefined {
  const { index, containerId, first, end, node, killingSignal } = file;
  if (end === undefined || containerId === '') return undefined;
  if (killingSignal !== undefined && !isForOthers(killingSignal.sender)) return undefined;
  const isOwn = (each: { containerId: string; node: string | undefined }): boolean =>
    each.containerId === containerId && each.node === node;
  const gone = index.of('runtime-gone').find(isOwn);
  const cut = index.of('runtime-cut-off').find(isOwn) ?? (killingSignal === undefined ? undefined : gone);
  if (cut?.at === undefined || gone === undefined) return undefined;
  const cutAt = cut.at;
  const endedAt = killingSignal?.stop.at ?? file.initExit?.at;
  if (first !== undefined && (endedAt === undefined || cutAt > endedAt - SAME_NODE_MS)) return undefined;
  const isEarlier = (each: { at: number | undefined }): boolean => (each.at ?? Infinity) < cutAt;
  const isExplained =
    index.of('runtime-stop').some((each) => isOwn(each) && isEarlier(each)) ||
    index.of('runtime-restarted').some((each) => each.node === node && isEarlier(each)) ||
    file.requests.cause !== undefined;
  if (isExplained) return undefined;
  return {
    killer: 'runtime-lost',
    steps: { cause: [cut.ref, gone.ref], signal: [killingSignal?.sent.ref], end: endRefs(file) },
    at: cutAt,
    decisive: DECISIVE,
    lacks: ['nobody saw what ended the shim'],
  };
}

function judgeRestart(file: CaseFile): Conclusion | undefined {
  const { end, bootEnded, index, first } = file;
  if (end?.exitCode !== UNKNOWN_EXIT || end.reason !== 'Unknown' || bootEnded !== undefined) return undefined;
  if (file.killingSignal !== undefined) return undefined;
  // A node that started anew starts containerd anew: only a whole trace, or one boot id, says that it did not.
  if (first === undefined ? !isSameBoot(file) : !isWhole(file, ['trace'])) return undefined;
  const restarted = index
    .of('runtime-restarted')
    .find(
      (each) =>
        each.node === file.node && (each.at ?? 0) >= file.from && (each.at ?? 0) <= file.to + CLEANUP_MS,
    );
  if (restarted === undefined) return undefined;
  return {
    killer: 'runtime-lost',
    how: 'runtime-restarted',
    steps: { cause: [restarted.ref], end: endRefs(file) },
    at: file.initExit?.at ?? restarted.at,
    decisive: [...DECISIVE, 'containerd'],
    lacks: first === undefined ? ['nobody traced its end'] : [],
  };
}

/** The node had one boot id before and after the end. */
function isSameBoot(file: CaseFile): boolean {
  const seen = file.index.of('node-seen').filter((each) => each.name === file.node && each.bootId !== '');
  const isSpanned = seen.some((each) => (each.at ?? 0) >= (file.end?.at ?? Infinity));
  return isSpanned && new Set(seen.map((each) => each.bootId)).size === 1;
}
