import { isOfPods } from '../../model/evidence/cgroup-path.ts';
import type { ContainerWords, EndWords } from '../../model/evidence/end-words.ts';
import type {
  CellRecord,
  KernelSaid,
  Observation,
  RuntimeEvent,
  RuntimeRecord,
} from '../../model/evidence/observation.ts';
import { nameSignal } from '../../model/evidence/signals.ts';
import type { CaseFile } from './case-file.ts';
import type { ContainerEnd } from '../records/container-end.ts';
import { isWhole } from './coverage.ts';
import { isEventOf } from '../records/event-container.ts';
import { indexEvidence } from '../records/evidence-index.ts';
import { openCase } from './open-case.ts';

/** Collects what each layer called the end of the judged container; undefined when no pod matches. */
export function findEndWords(record: CellRecord, observations: readonly Observation[]): EndWords | undefined {
  const file = openCase(record, indexEvidence(observations));
  return (
    file && {
      kernel: kernelWords(file),
      runtime: runtimeWords(file),
      runtimeExitCode: findExitCode(file),
      events: eventReasons(file),
      container: containerWords(file),
      pod: podWords(file),
      signals: signalNames(file),
    }
  );
}

/** What containerd said about the container, in words. */
export function runtimeWords(file: CaseFile): string[] {
  const said = listRuntimeEvents(file).map((event) => {
    if (event.kind === 'runtime-oom') return 'TaskOOM';
    if (event.kind === 'runtime-gone') return 'its shim is gone';
    if (event.kind === 'runtime-stop') return 'asked to stop it';
    return `exit ${event.exitStatus ?? '?'}${event.execId === undefined ? '' : ' of an added process'}`;
  });
  const record = findEndRecord(file);
  const recorded =
    record === undefined
      ? []
      : [`its record says ${record.reason || 'no reason'}, exit ${record.exitCode ?? '?'}`];
  return unique([...said, ...recorded]);
}

/** The events of containerd about the container, oldest first. */
export function listRuntimeEvents(file: CaseFile): RuntimeEvent[] {
  return file.index
    .ofAny(['runtime-oom', 'runtime-exit', 'runtime-gone', 'runtime-stop'])
    .filter((event) => concerns(file, event));
}

/** The runtime's record of the end of this container. */
export function findEndRecord(file: CaseFile): RuntimeRecord | undefined {
  return file.index
    .of('runtime-record')
    .find(
      (status) =>
        status.state === 'CONTAINER_EXITED' &&
        file.containerId !== '' &&
        status.containerId === file.containerId,
    );
}

/** The end as the API reported it: only the runtime knows of some ends. */
export function findToldEnd({ end }: CaseFile): ContainerEnd | undefined {
  return end?.ref.source === 'pod' && end.exitCode !== undefined ? end : undefined;
}

/** The runtime reports an OOM under the id of the sandbox, not of the container, where the whole pod has one sandbox. */
function concerns(file: CaseFile, event: RuntimeEvent): boolean {
  if (file.containerId === '') return false;
  if (event.containerId === file.containerId) return true;
  return (
    file.cgroups.sandboxed &&
    event.kind === 'runtime-oom' &&
    file.index
      .of('cgroup-created')
      .some((life) => file.cgroups.holds(life.path) && life.path.includes(event.containerId))
  );
}

function findExitCode(file: CaseFile): number | undefined {
  const exit = listRuntimeEvents(file).find(
    (event) => event.kind === 'runtime-exit' && event.execId === undefined,
  );
  return exit?.exitStatus ?? findEndRecord(file)?.exitCode;
}

/** Kernel lines about a process, in the kernel's words. */
const SAID: Readonly<Partial<Record<KernelSaid['about'], string>>> = {
  seccomp: 'audit type=1326',
  segfault: 'segfault',
  'fork-rejected': 'fork rejected by pids controller',
};

function kernelWords(file: CaseFile): string[] {
  const { index, oom, uids, processes } = file;
  const pids = new Set(processes.map(({ pid }) => pid));
  const said = index
    .of('kernel-said')
    .filter((line) => isOfPods(line.cgroup ?? '', uids) || (line.pid !== undefined && pids.has(line.pid)))
    .flatMap(({ about }) => SAID[about] ?? []);
  const counted = oom.counter === undefined ? [] : [`oom_kill +${oom.counter.to - oom.counter.from}`];
  const unread = isWhole(file, ['kmsg']) ? [] : ['its log is incomplete'];
  return unique([...oomWords(file), ...counted, ...said, ...unread]);
}

function oomWords({ index, oom, uids, processes }: CaseFile): string[] {
  // Before there is a container, its runtime runs in the cgroup of its pod.
  const ofPod = index
    .of('kernel-killed')
    .find((killed) => isOfPods(killed.context?.taskMemcg ?? '', uids) && processes.length === 0);
  const kill = oom.kill ?? ofPod;
  if (kill === undefined) return [];
  const constraint = /constraint=(\w+)/.exec(kill.context?.ref.text ?? '')?.[1];
  return [
    constraint ?? kill.ref.text.replace(/: Killed process.*$/s, ''),
    ...(oom.group === undefined ? [] : ['memory.oom.group']),
  ];
}

/** Events of every start, whatever the end. */
const ROUTINE = new Set(['Scheduled', 'Pulling', 'Pulled', 'Created', 'Started']);
/** Written about the node, by the kubelet and by the node-problem-detector; their text names the pid. */
const OF_NODE = new Set(['SystemOOM', 'OOMKilling']);

function eventReasons({ index, podEvents, record, oom }: CaseFile): string[] {
  const { container } = record.victim;
  const own = podEvents.filter((event) => isEventOf(container, event) && !ROUTINE.has(event.reason));
  const victim = new RegExp(`(?:pid: |process )${oom.kill?.pid ?? '-'}\\b`);
  const ofNode = index
    .of('kube-event')
    .filter((event) => OF_NODE.has(event.reason) && victim.test(event.message));
  return unique([...own, ...ofNode].map(({ reason }) => reason));
}

function containerWords(file: CaseFile): ContainerWords | undefined {
  const end = findToldEnd(file);
  if (end !== undefined)
    return { state: 'terminated', reason: end.reason, exitCode: end.exitCode, restarts: 0 };
  const { view } = file;
  return (
    view && {
      state: view.state,
      reason: view.reason,
      exitCode: view.exitCode,
      restarts: view.restartCount,
    }
  );
}

function podWords({ pod }: CaseFile): string[] {
  const { phase, reason, disruption, type } = pod;
  const words = [phase, reason, disruption?.reason, type === 'DELETED' ? 'deleted' : undefined];
  return unique(words.filter((word) => word !== undefined));
}

function signalNames({ killingSignal }: CaseFile): string[] {
  if (killingSignal === undefined) return [];
  return unique([killingSignal.stop, killingSignal.sent].map(({ signal }) => nameSignal(signal)));
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
