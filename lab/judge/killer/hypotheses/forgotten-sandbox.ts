import type { KubeletSaid, RuntimeRestarted } from '../../../model/evidence/observation.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { endRefs, type Conclusion } from '../conclusion.ts';
import { findLostController } from '../../case/lost-controller.ts';
import { isWhole, type Source } from '../../case/coverage.ts';
import { findSandboxEvent, findSandboxLines, findStops } from '../../case/requests/kubelet-stop.ts';
import { containerIdIn } from '../../../model/evidence/cgroup-path.ts';
import { CUT_MS } from '../../../model/evidence/source-clocks.ts';
import { ALIVE_MS, FOUND_MS } from '../../records/tolerances.ts';
import { isAtLeast, shift } from '../../records/times.ts';
import { deriveOnce } from '../../records/derive-once.ts';

/**
 * For: no OOM kill, every signal, every end, no other reason. The rule itself asks for records of containerd and
 * kubelet.
 */
const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace', 'pods', 'events', 'kubelet'];

/**
 * containerd restarted, did not find the task of a pod's sandbox, and called the sandbox not ready, although its
 * process ran on (`loadSandbox` of pkg/cri/server/restart.go: a task that is not found is StateNotReady). The kubelet
 * then stops the containers and starts the pod again: `podSandboxChanged` in computePodActions
 * (pkg/kubelet/kuberuntime/kuberuntime_manager.go).
 *
 * One known way to it: a new shim gives the existing shim of its pod 100 ms to answer, then removes its socket and
 * starts a second one (`CanConnect` of runtime/v2/shim/util_unix.go). The second shim holds the container and knows no
 * sandbox when containerd connects to that socket later. A node needs to be starved to be that slow.
 *
 * The order of the records names it: the restart, the kubelet's line that the sandbox died, its line that it wants a
 * new one, its stop of the container, the runtime's signal. The sandbox's process ended well after the first of these
 * lines, or never.
 */
export const hearForgottenSandbox = (file: CaseFile): Conclusion | undefined => {
  const { killingSignal } = file;
  if (killingSignal !== undefined && killingSignal.sender !== 'runtime') return undefined;
  if (killingSignal === undefined && file.first !== undefined) return undefined;
  const sentAt = file.decidedAt;
  if (sentAt === undefined) return undefined;
  if (file.requests.cause !== undefined) return undefined;
  const died = findWordOfDeath(file);
  if (died?.at === undefined || !outlived(file, died.at)) return undefined;
  const restart = findRestart(file, died.at);
  const wanted = findSandboxLines(file).find((said) => isSoonAfter(said.at, died.at));
  const wantedAt = wanted?.at;
  if (restart === undefined || wantedAt === undefined || sentAt < wantedAt) return undefined;
  const stops = findStops(file, file.to).filter((stop) => stop.reason === undefined);
  const line = stops.find((stop) => stop.record.kind === 'kubelet-said')?.record;
  const event = stops.find((stop) => stop.record.kind === 'kube-event')?.record;
  const stoppedAt = line?.at ?? shift(event?.at, CUT_MS);
  if (!isSoonAfter(stoppedAt, wantedAt) || (line?.at ?? sentAt) > sentAt) return undefined;
  if (findLostController(file, wantedAt) !== undefined) return undefined;
  const changed = findSandboxEvent(file, wantedAt);
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
    doubts: [
      ...(line === undefined ? ['the kubelet did not log that it stops the container'] : []),
      ...(killingSignal === undefined ? ['nobody traced the signal'] : []),
    ],
  };
};

const deathLinesOf = deriveOnce((lines: readonly KubeletSaid[]) =>
  lines.filter(({ about }) => about === 'container-died'),
);

/** The kubelet's first line that the sandbox of the container died. */
function findWordOfDeath(file: CaseFile): KubeletSaid | undefined {
  const ids = sandboxIds(file);
  return deathLinesOf(file.index.of('kubelet-said')).find(
    (line) =>
      file.uids.includes(line.podUid ?? '') &&
      ids.some((id) => id === line.containerId) &&
      line.node === file.node &&
      isAtLeast(line.at, file.from, { unknown: 'does not' }),
  );
}

/** The sandbox that the witness saw, else the first that the runtime made for the pod. */
function sandboxIds({ sandbox, index, uids }: CaseFile): string[] {
  const met = containerIdIn(sandbox?.init.cgroup ?? '', uids);
  if (met !== '') return [met];
  return index
    .of('sandbox-created')
    .filter((made) => uids.includes(made.podUid))
    .map((made) => made.sandboxId)
    .slice(0, 1);
}

/**
 * Whether the sandbox's process lived on: it ended later, or a whole trace has no end of it. Where the trace has gaps,
 * the runtime must have logged no end before.
 */
function outlived(file: CaseFile, at: number): boolean {
  const { sandbox, index } = file;
  if (sandbox?.exit !== undefined) return isAtLeast(sandbox.exit.at, at + ALIVE_MS, { unknown: 'does not' });
  if (sandbox !== undefined && isWhole(file, ['trace'])) return true;
  const ids = sandboxIds(file);
  const ends = [...index.of('runtime-exit'), ...index.of('runtime-gone')].filter((event) =>
    ids.includes(event.containerId),
  );
  return (
    isWhole(file, ['containerd']) &&
    ends.every((event) => isAtLeast(event.at, at + ALIVE_MS, { unknown: 'does not' }))
  );
}

function findRestart(file: CaseFile, before: number): RuntimeRestarted | undefined {
  return file.index
    .of('runtime-restarted')
    .findLast(
      (restart) =>
        restart.node === file.node &&
        isAtLeast(restart.at, file.from, { unknown: 'does not' }) &&
        isSoonAfter(before, restart.at),
    );
}

/** Whether `at` follows `since` soon enough, also on a slow node. */
function isSoonAfter(at: number | undefined, since: number | undefined): boolean {
  return at !== undefined && since !== undefined && at >= since && at - since <= FOUND_MS;
}
