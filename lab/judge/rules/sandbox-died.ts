import type { KernelKilled, KubeEvent, KubeletSaid } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole, type Source } from '../completeness.ts';
import { refs, type Rule } from '../finding.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];
/** Times of events are cut to whole seconds. */
const CUT_MS = 1000;

/**
 * The pod's sandbox ended first, and not because the runtime stopped the pod; the kubelet then stops the containers
 * and makes the pod anew ("Pod sandbox changed", kuberuntime_manager.go). With a shared process namespace the kernel
 * itself ends every process when the first one, pause, is gone.
 */
export const judgeSandboxDied: Rule = (file) => {
  const { sandbox, killingSignal } = file;
  const diedAt = sandbox?.exit?.at;
  if (sandbox?.exit === undefined || diedAt === undefined) return undefined;
  // A runtime that stops the whole pod, as after a deletion, ends the sandbox too.
  if (sandbox.killingSignal?.sender === 'runtime') return undefined;
  if (killingSignal !== undefined && !['runtime', 'kernel'].includes(killingSignal.sender)) return undefined;
  const victimAt = killingSignal?.sent.at ?? file.initExit?.at ?? file.end?.at;
  if (victimAt === undefined || diedAt > victimAt) return undefined;
  // It began in the sandbox that was made after that one.
  const began = file.processes[0]?.at;
  if (began !== undefined && began > diedAt) return undefined;
  const changed = findSandboxChanged(file, diedAt);
  const proven = changed !== undefined && sandbox.killingSignal !== undefined && isWhole(file, DECISIVE);
  return {
    killer: 'sandbox-died',
    how: 'sandbox-killed',
    confidence: proven ? 'proven' : 'likely',
    because: refs(
      ...[sandbox.killingSignal?.sent.ref, findSandboxOom(file), sandbox.exit.ref],
      ...[changed, killingSignal?.sent.ref, file.initExit?.ref, file.end?.ref],
    ),
    at: victimAt,
    decisive: DECISIVE,
    ...(changed === undefined ? { note: 'the kubelet did not say that it found the sandbox changed' } : {}),
  };
};

function findSandboxOom(file: CaseFile): KernelKilled['ref'] | undefined {
  const { sandbox } = file;
  if (sandbox === undefined) return undefined;
  return file.observations.find(
    (each): each is KernelKilled =>
      each.kind === 'kernel-killed' && each.pid === sandbox.init.pid && each.boot === sandbox.init.boot,
  )?.ref;
}

function findSandboxChanged(file: CaseFile, diedAt: number): KubeEvent['ref'] | undefined {
  const event = file.observations.find(
    (each): each is KubeEvent =>
      each.kind === 'kube-event' &&
      each.objectUid === file.pod.uid &&
      each.reason === 'SandboxChanged' &&
      (each.at ?? 0) + CUT_MS >= diedAt,
  );
  const line = file.observations.find(
    (each): each is KubeletSaid =>
      each.kind === 'kubelet-said' &&
      each.about === 'sandbox-changed' &&
      each.message.includes(`${file.pod.namespace}/${file.pod.name}"`) &&
      (each.at ?? 0) >= diedAt,
  );
  return event?.ref ?? line?.ref;
}
