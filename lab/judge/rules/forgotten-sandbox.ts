import type { KubeletSaid, RuntimeRestarted } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { endRefs, type Conclusion, type Rule } from '../conclusion.ts';
import { findLostController } from '../lost-controller.ts';
import { isWhole, type Source } from '../coverage.ts';
import { findSandboxLines, findStops } from '../kubelet-stop.ts';
import { ALIVE_MS, CUT_MS, FOUND_MS } from '../tolerances.ts';

/** No OOM kill, every signal and every end, and that nobody else gave a reason. What containerd and kubelet said is there. */
const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace', 'pods', 'events', 'kubelet'];

/**
 * containerd started anew, did not find the task of a pod's sandbox again and called the sandbox not ready, although
 * its process ran on (`loadSandbox` of pkg/cri/server/restart.go: a task that is not found is StateNotReady). The
 * kubelet believes it, stops the containers and makes the pod anew: `podSandboxChanged` in computePodActions
 * (pkg/kubelet/kuberuntime/kuberuntime_manager.go).
 *
 * Known way to it: the start of a shim gives an existing one of the same pod 100 ms to answer, then removes its socket
 * and starts a second (`CanConnect` of runtime/v2/shim/util_unix.go), which holds the container, and which knows no
 * sandbox when containerd connects to that socket later. Only a starved node is that slow.
 *
 * The order names it: restart, the kubelet's word that the sandbox died, its wish for a new one, its stop of the
 * container, the runtime's signal; and the sandbox's process ended well after that word, or never.
 */
export const judgeForgottenSandbox: Rule = (file): Conclusion | undefined => {
  const { killingSignal } = file;
  if (killingSignal !== undefined && killingSignal.sender !== 'runtime') return undefined;
  if (killingSignal === undefined && file.first !== undefined) return undefined;
  const sentAt = file.decidedAt;
  if (sentAt === undefined) return undefined;
  if (file.requests.cause !== undefined) return undefined;
  const died = findWordOfDeath(file);
  if (died?.at === undefined || !outlived(file, died.at)) return undefined;
  const restart = findRestart(file, died.at);
  const wanted = findSandboxLines(file).find((each) => isWithin(each.at, died.at));
  const wantedAt = wanted?.at;
  if (restart === undefined || wantedAt === undefined || sentAt < wantedAt) return undefined;
  const stops = findStops(file, file.to).filter((each) => each.reason === undefined);
  const line = stops.find((each) => each.record.kind === 'kubelet-said')?.record;
  const event = stops.find((each) => each.record.kind === 'kube-event')?.record;
  const stoppedAt = line?.at ?? (event?.at === undefined ? undefined : event.at + CUT_MS);
  if (!isWithin(stoppedAt, wantedAt) || (line?.at ?? sentAt) > sentAt) return undefined;
  if (findLostController(file, wantedAt) !== undefined) return undefined;
  const changed = file.podEvents.find(
    (each) => each.reason === 'SandboxChanged' && (each.at ?? 0) + CUT_MS >= wantedAt,
  );
  return {
    killer: 'runtime-lost',
    how: 'runtime-restarted',
    steps: {
      cause: [restart.ref, died.ref, wanted?.ref, changed?.ref],
      request: [line?.ref, event?.ref],
      signal: [killingSignal?.sent.ref],
      end: endRefs(file),
      consequence: [file.sandbox?.exit?.ref],
    },
    at: sentAt,
    decisive: DECISIVE,
    lacks: [
      ...(line === undefined ? ['the line of the kubelet that it stops the container'] : []),
      ...(killingSignal === undefined ? ['nobody traced the signal'] : []),
    ],
  };
};

/** The kubelet's first word that the very sandbox died in which the container lived. */
function findWordOfDeath(file: CaseFile): KubeletSaid | undefined {
  const ids = sandboxIds(file);
  return file.index
    .of('kubelet-said')
    .find(
      (each) =>
        each.about === 'container-died' &&
        file.uids.includes(each.podUid ?? '') &&
        ids.some((id) => id === each.containerId) &&
        each.node === file.node &&
        (each.at ?? 0) >= file.from,
    );
}

/** The sandbox that the witness met, else the first that the runtime made for the pod. */
function sandboxIds({ sandbox, index, uids }: CaseFile): string[] {
  const met = /[0-9a-f]{64}/.exec(sandbox?.init.cgroup.split('/').at(-1) ?? '')?.[0];
  if (met !== undefined) return [met];
  return index
    .of('sandbox-created')
    .filter((each) => uids.includes(each.podUid))
    .map((each) => each.sandboxId)
    .slice(0, 1);
}

/**
 * Whether the sandbox's process lived on: it ended later, or a whole trace has no end of it. Where the trace is not whole,
 * the runtime had reported no end of it before.
 */
function outlived(file: CaseFile, at: number): boolean {
  const { sandbox, index } = file;
  if (sandbox?.exit !== undefined) return (sandbox.exit.at ?? 0) >= at + ALIVE_MS;
  if (sandbox !== undefined && isWhole(file, ['trace'])) return true;
  const ids = sandboxIds(file);
  const told = [...index.of('runtime-exit'), ...index.of('runtime-gone')].filter((each) =>
    ids.includes(each.containerId),
  );
  return isWhole(file, ['containerd']) && told.every((each) => (each.at ?? 0) >= at + ALIVE_MS);
}

function findRestart(file: CaseFile, before: number): RuntimeRestarted | undefined {
  return file.index
    .of('runtime-restarted')
    .findLast((each) => each.node === file.node && (each.at ?? 0) >= file.from && isWithin(before, each.at));
}

/** Whether `at` follows `since` at once, for a node that may be slow. */
function isWithin(at: number | undefined, since: number | undefined): boolean {
  return at !== undefined && since !== undefined && at >= since && at - since <= FOUND_MS;
}
