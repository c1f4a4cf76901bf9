import type { Cited, Says } from '../../model/saved/proof.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import type {
  KubeEvent,
  Observation,
  PodSeen,
  RuntimeEvent,
  SignalSent,
} from '../../model/evidence/observation.ts';
import type { CaseFile } from '../case/case-file.ts';

/** Longest quote of a record. */
const MAX_QUOTE = 300;

type OfKind<Kind extends Observation['kind']> = Extract<Observation, { kind: Kind }>;
type Tell = { [Kind in Observation['kind']]?: (record: OfKind<Kind>, file: CaseFile) => Omit<Says, 'kind'> };

/** What a record is cited for, by its kind. */
const TELL: Tell = {
  // Up to Linux 4.19 a kill has three lines: each of them is cited only for what it has itself.
  'kernel-killed': ({ pid, comm, scope, ref }) => ({
    pid,
    process: comm,
    scope: / out of memory/i.test(` ${ref.text}`) ? scope : undefined,
  }),
  'kernel-oom-context': ({ pid, comm, global, oomMemcg, taskMemcg, ref }) => ({
    ...(/(?:pid=|process )\d/.test(ref.text) ? { pid, process: comm } : {}),
    scope: global ? 'global' : 'memcg',
    limitOf: oomMemcg,
    cgroup: taskMemcg,
  }),
  'kernel-group-kill': ({ cgroup }) => ({ cgroup }),
  'kernel-reaped': ({ pid, comm }) => ({ pid, process: comm }),
  'kernel-said': ({ ref, pid, cgroup }) => ({ pid, cgroup, quote: quoteOf(ref.text) }),
  'oom-victim': ({ pid }) => ({ pid }),
  'cgroup-values': ({ path, file, values }) => ({ cgroup: path, file, values: { ...values } }),
  'process-seen': ({ pid, ppid, comm, cgroup }) => ({ pid, parent: ppid, process: comm, cgroup }),
  'signal-sent': tellSignal,
  'process-exited': ({ pid, comm }) => ({ pid, process: comm }),
  'boot-ended': ({ bootId }) => ({ bootId }),
  'runtime-oom': ({ containerId }) => ({ containerId }),
  'runtime-exit': ({ containerId, pid, exitStatus }) => ({ containerId, pid, exitCode: exitStatus }),
  'runtime-gone': ({ containerId }) => ({ containerId }),
  'runtime-cut-off': ({ containerId }) => ({ containerId }),
  'runtime-stop': tellStop,
  'runtime-start': ({ containerId }) => ({ containerId }),
  'runtime-record': ({ containerId, state, exitCode, reason }) => ({ containerId, state, exitCode, reason }),
  'runtime-restarted': () => ({}),
  'system-said': ({ by, pid, cgroup, ref }) => ({
    actor: by,
    pid,
    cgroup,
    quote: quoteOf(ref.text.slice(by.length + 2)),
  }),
  'kubelet-said': ({ containerId, podUid, exitCode, message }) => ({
    containerId,
    uid: podUid,
    exitCode,
    quote: quoteOf(message),
  }),
  'pod-seen': tellPod,
  'kube-event': tellEvent,
  'node-seen': ({ bootId }) => ({ bootId }),
  stimulus: ({ senderPid, pid }) => ({ actorPid: senderPid, pid }),
};

function tellStop({ containerId, ref }: RuntimeEvent): Omit<Says, 'kind'> {
  return { containerId, quote: quoteOf(ref.text) };
}

function tellSignal(sent: SignalSent): Omit<Says, 'kind'> {
  return {
    pid: sent.pid,
    process: sent.comm,
    signal: sent.signal,
    code: sent.code,
    actor: sent.senderComm,
    actorPid: sent.senderPid,
    actorCgroup: sent.senderCgroup,
  };
}

/** A version of the pod, with the state of the judged container, or of its last end. */
function tellPod(pod: PodSeen, { record, containerId }: CaseFile): Omit<Says, 'kind'> {
  const view = pod.containers.find(({ name }) => name === record.victim.container);
  const isLast = view?.last !== undefined && view.id !== containerId;
  const ended = isLast ? view.last : view;
  const isoOf = (at: number): string => new Date(at).toISOString();
  return {
    uid: pod.uid,
    containerId: ended?.id === '' ? undefined : ended?.id,
    state: isLast ? 'terminated' : view?.state,
    exitCode: ended?.exitCode,
    reason: pod.reason ?? ended?.reason,
    deletionAt: pod.deletionAt === undefined ? undefined : isoOf(pod.deletionAt),
    disruption: pod.disruption?.reason,
    // What ran out, where no event of the eviction is left.
    quote: pod.reason === 'Evicted' ? quoteOf(pod.message ?? '') : undefined,
  };
}

function tellEvent({ objectUid, reason, component, message }: KubeEvent): Omit<Says, 'kind'> {
  return { uid: objectUid, reason, actor: component, quote: quoteOf(message) };
}

/** Blanks around it are not of the record. */
function quoteOf(text: string): string {
  return text.slice(0, MAX_QUOTE).trim();
}

/** Cites records of a case, each with what it is taken to say. */
export function createCiter(file: CaseFile): (ref: EvidenceRef) => Cited {
  return (ref) => {
    const observation = file.index.readFrom(ref);
    const tell = observation === undefined ? undefined : tellOf(observation, file);
    const { file: path, line, at, text } = ref;
    const says: Says = { kind: 'line', quote: quoteOf(text) };
    return {
      file: path,
      line,
      says: withoutUnknown({ ...(tell ?? says), at: at === '' ? undefined : at }),
    };
  };
}

function tellOf<Kind extends Observation['kind']>(record: OfKind<Kind>, file: CaseFile): Says | undefined {
  const tell = TELL[record.kind] as
    ((record: OfKind<Kind>, file: CaseFile) => Omit<Says, 'kind'>) | undefined;
  return tell && { kind: record.kind, ...tell(record, file) };
}

/** What nobody knows is absent. */
function withoutUnknown(says: Says): Says {
  return Object.fromEntries(
    Object.entries(says).filter(([, value]) => value !== undefined && value !== ''),
  ) as Says;
}
