import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { KernelKilled, KernelOomContext } from '../../../model/evidence/observation.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { hasRun, RUNC_STAGE } from '../../case/has-run.ts';
import { type Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { findStrayKills, KILL_LINE } from '../traces.ts';
import { isWhole } from '../../case/coverage.ts';
import { isOfContainer, isOfPods, levelOf } from '../../../model/evidence/cgroup-path.ts';
import { isNear } from '../../records/times.ts';
import { API_MS, FOLLOWS_MS } from '../../records/tolerances.ts';
import { isEventOf } from '../../records/event-container.ts';
import { NEVER_RAN } from '../../records/never-ran.ts';

/** runc since 1.1 (libcontainer/process_linux.go). Older ones say only that the process did not start. */
const SAID = /OOM-killed \(memory limit too low\?\)/;
/**
 * The OOM killer took the runtime's own first process before the program of the container began: the limit is too low
 * to start anything. The runtime says so, or the kernel names the process.
 */
const hearInitOom = (file: CaseFile): Conclusion | undefined => {
  if (hasRun(file)) return undefined;
  const said = findSaid(file);
  const ofRunc = findRuncKill(file);
  const kernel = ofRunc ?? findSandboxKill(file);
  const ref = neverRan(file, kernel);
  if (said === undefined && (kernel === undefined || ref === undefined)) return undefined;
  const base = {
    steps: { signal: [kernel?.context?.ref, kernel?.kill.ref], end: [said, ref] },
    at: kernel?.kill.at ?? file.end?.at,
  };
  // An earlier container that filled the limit may be missing.
  if (!isWhole(file, ['pods'])) {
    const note =
      'what the API said of the pod is incomplete: an earlier container of it may be what died first';
    return { ...base, killer: 'unknown', decisive: ['pods'], note };
  }
  const doubts = [
    ...(kernel === undefined ? ['the kernel line that names the killed process is missing'] : []),
    ...(ofRunc === undefined && kernel !== undefined
      ? ['the OOM killer took the sandbox of the pod, and the start failed right after']
      : []),
    ...(said === undefined ? ['the runtime did not say that its first process was OOM-killed'] : []),
  ];
  return {
    ...base,
    killer: 'container-init-oom',
    level: levelOf(kernel?.context?.oomMemcg ?? ' '),
    ...(kernel === undefined ? {} : { pid: kernel.kill }),
    decisive: ['kmsg', 'pods'],
    doubts,
  };
};

/** The runtime's words: in the status of the container, else in an event about the pod. */
function findSaid(file: CaseFile): EvidenceRef | undefined {
  const { container } = file.record.victim;
  const version = file.versions.find(
    (pod) =>
      pod.uid === file.pod.uid &&
      pod.containers.some(
        (view) =>
          view.name === container && (SAID.test(view.message ?? '') || SAID.test(view.last?.message ?? '')),
      ),
  );
  const event = file.podEvents.find(
    (kubeEvent) => isEventOf(container, kubeEvent) && SAID.test(kubeEvent.message),
  );
  // The event has the words; the version of the pod is shortened to its states.
  return event?.ref ?? version?.ref;
}

/** A container that waits for its image waits for nothing that the kernel could have killed, unless it is the only one. */
function neverRan(file: CaseFile, kill: RuncKill | undefined): EvidenceRef | undefined {
  if (file.end !== undefined) return NEVER_RAN.test(file.end.reason ?? '') ? file.end.ref : undefined;
  const reasons = [file.view?.reason ?? '', file.view?.last?.reason ?? ''];
  const isAlone = file.pod.containers.length === 1 || isOfSandbox(file, kill);
  const waits = file.view?.state === 'waiting' && isAlone;
  return waits || reasons.some((reason) => NEVER_RAN.test(reason)) ? file.viewRef : undefined;
}

function isOfSandbox(file: CaseFile, kill: RuncKill | undefined): boolean {
  return isSandboxes(file, kill?.context?.taskMemcg ?? '');
}

function isSandboxes({ index, uids }: CaseFile, cgroup: string): boolean {
  return index
    .of('sandbox-created')
    .some((sandbox) => uids.includes(sandbox.podUid) && isOfContainer(cgroup, sandbox.sandboxId));
}

interface RuncKill {
  readonly kill: KernelKilled;
  readonly context: KernelOomContext | undefined;
}

function findRuncKill(file: CaseFile): RuncKill | undefined {
  for (const kill of file.index.of('kernel-killed')) {
    if (!RUNC_STAGE.test(kill.comm)) continue;
    if (file.node !== undefined && kill.node !== file.node) continue;
    const { context } = kill;
    const cgroup = context?.taskMemcg;
    const inPod =
      cgroup === undefined
        ? file.processes.some((seen) => seen.pid === kill.pid)
        : isOfPods(cgroup, file.uids);
    if (inPod && !isOfAnother(file, cgroup ?? '') && isKnown(file, cgroup ?? '')) return { kill, context };
  }
  return undefined;
}

/** Whether it can only be this container's: a pod with several may have lost the first try of another one. */
function isKnown(file: CaseFile, cgroup: string): boolean {
  const isCertain = cgroup === '' || file.cgroups.holds(cgroup) || file.pod.containers.length === 1;
  return isCertain || isSandboxes(file, cgroup);
}

/**
 * The OOM killer took the pod's sandbox while the runtime prepared the container: the limit of the pod was reached, and
 * its pause was the largest process in it.
 */
function findSandboxKill(file: CaseFile): RuncKill | undefined {
  const endedAt = file.end?.at;
  if (file.end === undefined || !NEVER_RAN.test(file.end.reason ?? '')) return undefined;
  const kill = file.index
    .of('kernel-killed')
    .find(
      ({ node, context, at }) =>
        node === file.node &&
        isOfPods(context?.taskMemcg ?? '', file.uids) &&
        isSandboxes(file, context?.taskMemcg ?? '') &&
        isNear(at, endedAt, FOLLOWS_MS + API_MS, { unknown: 'does not' }),
    );
  return kill && { kill, context: kill.context };
}

/** Whether the cgroup is that of another container of the pod, or of another try to start this one. */
function isOfAnother({ containerId, cgroups, pod, record, index, uids }: CaseFile, cgroup: string): boolean {
  if (cgroup === '') return false;
  if (containerId !== '' && !cgroups.holds(cgroup)) return true;
  const names = [
    ...pod.containers.map((view) => ({ name: view.name, id: view.id })),
    ...index
      .of('runtime-created')
      .filter((created) => uids.includes(created.podUid))
      .map((created) => ({ name: created.container, id: created.containerId })),
  ];
  return names.some(
    ({ name, id }) => id !== '' && isOfContainer(cgroup, id) && name !== record.victim.container,
  );
}

/** The OOM killer took the runtime's own first process. */
export const INIT_OOM: Hypothesis = {
  what: "an OOM kill of the runtime's own first process",
  needsSilence: true,
  killers: ['container-init-oom'],
  acts: ['never-ran'],
  left: {
    ...KILL_LINE,
    isSeen: hasRun,
    findUnbound: (file) =>
      hasRun(file)
        ? []
        : findStrayKills(file).flatMap(({ comm, ref }) => (RUNC_STAGE.test(comm) ? [ref] : [])),
    otherwise: 'the container ran, and such a kill comes before that',
    records: ({ end, init, viewRef }) => [end?.ref ?? init?.ref ?? viewRef],
  },
  hear: hearInitOom,
};
