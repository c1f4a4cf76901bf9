import type { EvidenceRef } from '../../model/formats.ts';
import type { KernelKilled, KernelOomContext, KubeEvent } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole } from '../completeness.ts';
import { refs, type Rule } from '../finding.ts';
import { isOfContainer } from '../kubelet-stop.ts';
import { isOfPod, levelOf } from '../levels.ts';

/** runc since 1.1 (libcontainer/process_linux.go); older ones only say that the process did not start. */
const SAID = /OOM-killed \(memory limit too low\?\)/;
/** Stages of runc inside the new container: `runc:[0:PARENT]`, `runc:[1:CHILD]`, `runc:[2:INIT]`. */
const RUNC_STAGE = /^runc:\[/;
/** How a container is reported that was made and never ran. */
const NEVER_RAN = /^(?:StartError|RunContainerError|CreateContainerError|ContainerCannotRun)$/;
const SAME_OOM_MS = 1000;

/**
 * The runtime's own first process died of the memory limit before the program of the container began: the limit is too
 * low to start anything. The runtime says so, or the kernel names the process.
 */
export const judgeInitOom: Rule = (file) => {
  if (hasRun(file)) return undefined;
  const said = findSaid(file);
  const kernel = findRuncKill(file);
  if (kernel !== undefined && isOfLaterTry(file, kernel.context)) return undefined;
  const ref = neverRan(file);
  if (said === undefined && (kernel === undefined || ref === undefined)) return undefined;
  // Whoever ran before and filled the limit may be what is missing.
  if (!isWhole(file, ['pods'])) {
    const note =
      'what the API said of the pod is incomplete: an earlier container of it may be what died first';
    return {
      killer: 'unknown',
      confidence: 'none',
      because: refs(said, kernel?.kill.ref, ref),
      at: kernel?.kill.at,
      decisive: ['pods'],
      note,
    };
  }
  const proven = said !== undefined && kernel !== undefined && isWhole(file, ['kmsg']);
  return {
    killer: 'container-init-oom',
    level: levelOf(kernel?.context?.oomMemcg ?? ' '),
    confidence: proven ? 'proven' : 'likely',
    because: refs(said, kernel?.kill.ref, kernel?.context?.ref, ref),
    ...(kernel === undefined ? {} : { pid: kernel.kill }),
    at: kernel?.kill.at ?? file.end?.at,
    decisive: ['kmsg', 'pods'],
    ...(kernel === undefined ? { note: 'the kernel line that names the killed process is missing' } : {}),
  };
};

/** The runtime's words in the status of the container, else in an event about the pod. */
function findSaid(file: CaseFile): EvidenceRef | undefined {
  const { container } = file.record.victim;
  const version = file.versions.find(
    (pod) =>
      pod.uid === file.pod.uid &&
      pod.containers.some(
        (each) =>
          each.name === container && (SAID.test(each.message ?? '') || SAID.test(each.last?.message ?? '')),
      ),
  );
  const event = file.observations.find(
    (each): each is KubeEvent =>
      each.kind === 'kube-event' &&
      each.objectUid === file.pod.uid &&
      isOfContainer(file, each) &&
      SAID.test(each.message),
  );
  // The words stand in the event; the version of the pod is shortened to its states.
  return event?.ref ?? version?.ref;
}

/** The judged container came to an end of its own; what is said of a start is said of a later try. */
function hasRun({ end }: CaseFile): boolean {
  return end?.reason !== undefined && !NEVER_RAN.test(end.reason);
}

/** The kernel's words name the cgroup of another container of the pod. */
function isOfLaterTry({ containerId, place }: CaseFile, context: KernelOomContext | undefined): boolean {
  return containerId !== '' && context?.taskMemcg !== undefined && !place.holds(context.taskMemcg);
}

function neverRan(file: CaseFile): EvidenceRef | undefined {
  if (file.end !== undefined) return NEVER_RAN.test(file.end.reason ?? '') ? file.end.ref : undefined;
  return file.view?.state === 'waiting' ? file.viewRef : undefined;
}

function findRuncKill(
  file: CaseFile,
): { kill: KernelKilled; context: KernelOomContext | undefined } | undefined {
  for (const kill of file.observations) {
    if (kill.kind !== 'kernel-killed' || !RUNC_STAGE.test(kill.comm)) continue;
    if (file.node !== undefined && kill.node !== file.node) continue;
    const context = file.observations.find(
      (each): each is KernelOomContext =>
        each.kind === 'kernel-oom-context' &&
        each.pid === kill.pid &&
        each.boot === kill.boot &&
        Math.abs((each.at ?? 0) - (kill.at ?? 0)) <= SAME_OOM_MS,
    );
    const inPod =
      context?.taskMemcg === undefined
        ? file.processes.some((each) => each.pid === kill.pid)
        : isOfPod(context.taskMemcg, file.pod.uid);
    if (inPod) return { kill, context };
  }
  return undefined;
}
