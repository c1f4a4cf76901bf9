import { parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import type { Observation } from '../../model/evidence/observation.ts';
import {
  nameSignal,
  SIGABRT,
  SIGBUS,
  SIGSEGV,
  SIGSYS,
  statusOfSignal,
} from '../../model/evidence/signals.ts';
import { OOM_KILL } from '../facts/symptom-rules.ts';
import { hasTrait } from '../facts/traits.ts';
import type { CaseFact, CaseTrace, FactName } from '../../model/saved/case.ts';

/** What the log of the kernel, the runtime, the kubelet and the API say of a death, without what differs in each run. */
export function tracesOfObservations(observations: readonly Observation[]): CaseTrace[] {
  const readyAt = observations.findIndex(
    (seen) => seen.kind === 'node-seen' && seen.conditions.Ready === 'True',
  );
  const isStarting = (index: number): boolean => readyAt < 0 || index < readyAt;
  return unique(
    observations.flatMap((seen, index) =>
      // Every node is not ready before it is.
      seen.kind === 'node-seen' && isStarting(index) && readyAt >= 0 ? [] : tracesOf(seen),
    ),
  );
}

/** Whether something is about the workload of a cell or its node, not about a pod that every cluster has. */
export function isOfWorkload(seen: Observation): boolean {
  const namespace =
    seen.kind === 'pod-seen' ? seen.namespace : seen.kind === 'kube-event' ? seen.objectNamespace : '';
  return !/^kube-/.test(namespace);
}

/** An end of a container, as the API says it. */
export interface TracedEnd {
  readonly reason: string | undefined;
  readonly exitCode: number | undefined;
}

/** Every end of every container that was seen. */
export function listContainerEnds(observations: readonly Observation[]): TracedEnd[] {
  return observations.flatMap((seen) =>
    seen.kind === 'pod-seen'
      ? seen.containers.flatMap(({ state, reason: why, exitCode, last }): TracedEnd[] => [
          ...(state === 'terminated' ? [{ reason: why, exitCode }] : []),
          ...(last === undefined ? [] : [{ reason: last.reason, exitCode: last.exitCode }]),
        ])
      : [],
  );
}

/** Some OOM kill of the kernel. */
const ANY_OOM_KILL: CaseTrace = { layer: 'kernel', what: 'OOM kill', value: 'any' };

/** What a report says in words and tables that no reader of logs knows. */
export function tracesOfFacts(facts: readonly CaseFact[]): CaseTrace[] {
  const isOfUserSpace = hasTrait(facts, 'OOM killer in user space');
  return unique(
    facts.flatMap(({ name, value, role }): CaseTrace[] => {
      if (role === 'works' || role === 'client') return [];
      if (role === 'absent') return absentTraceOf(name, value);
      switch (name) {
        case 'exit code':
          return value === '0' ? [] : [{ layer: 'api', what: 'exit code', value }];
        case 'reason':
          if (role !== 'inferred') return [{ layer: 'api', what: 'reason', value }];
          // In prose it does not say which layer has it, nor at which limit.
          return value === OOM_KILL && !isOfUserSpace ? [ANY_OOM_KILL] : [];
        case 'signal':
          // Any report may name SIGTERM or SIGKILL in passing.
          return CRASHES.map(nameSignal).includes(value) ? [{ layer: 'runtime', what: 'signal', value }] : [];
        case 'counter':
          return /^oom_kill\s+[1-9]/.test(value)
            ? [{ layer: 'cgroup', what: 'oom_kill', value: 'rose' }]
            : [];
        case 'message':
          return [{ layer: 'runtime', what: 'message', value }];
        case 'trait':
          return [{ layer: 'api', what: 'trait', value }];
        case 'node':
          return [{ layer: 'node', what: 'node', value }];
        default:
          return [];
      }
    }),
  );
}

/** Signals by which a process ends itself. */
const CRASHES = [SIGABRT, SIGBUS, SIGSEGV, SIGSYS];

function crashOf(status: number | undefined): CaseTrace[] {
  const signal = CRASHES.find((one) => statusOfSignal(one) === status);
  return signal === undefined ? [] : [{ layer: 'runtime', what: 'signal', value: nameSignal(signal) }];
}

/** What the report says that did not happen. Words for an OOM kill are of the kernel: its reason in the API is another thing. */
function absentTraceOf(name: FactName, value: string): CaseTrace[] {
  switch (name) {
    case 'exit code':
      return [{ layer: 'api', what: 'exit code', value, absent: true }];
    case 'reason':
      return value === OOM_KILL
        ? [{ ...ANY_OOM_KILL, absent: true }]
        : [{ layer: 'api', what: 'reason', value, absent: true }];
    case 'node':
      return [{ layer: 'node', what: 'node', value, absent: true }];
    default:
      return [];
  }
}

/** All together, each once. What one of them shows is not absent. */
export function joinTraces(...lists: readonly (readonly CaseTrace[])[]): CaseTrace[] {
  const all = unique(lists.flat());
  return all.filter(
    (trace) =>
      trace.absent !== true || !all.some((other) => other.absent !== true && isDeniedBy(other, trace)),
  );
}

/** Whether a trace is what another one says that did not happen. */
export function isDeniedBy(trace: CaseTrace, denied: CaseTrace): boolean {
  const isAlike = trace.layer === denied.layer && trace.what === denied.what;
  return isAlike && (denied.value === 'any' || denied.value === trace.value);
}

function unique(traces: readonly CaseTrace[]): CaseTrace[] {
  return [
    ...new Map(
      traces.map((trace) => [
        [trace.layer, trace.what, trace.value, trace.absent === true].join('\n'),
        trace,
      ]),
    ).values(),
  ];
}

/** What the kubelet says that tells of a death; the rest is in every log. */
const KUBELET_WORDS = ['killing-container', 'eviction', 'oom', 'probe-failed', 'shutdown', 'sandbox-changed'];
/** Events of every start and every day. */
const COMMON_EVENTS = [
  'Scheduled',
  'Pulled',
  'Pulling',
  'Created',
  'Started',
  'SuccessfulCreate',
  'Starting',
];

function tracesOf(seen: Observation): CaseTrace[] {
  switch (seen.kind) {
    case 'kernel-oom-context':
      return [
        { layer: 'kernel', what: 'OOM kill', value: seen.ranOut === 'cgroup' ? 'at a limit' : 'of the node' },
        ...levelOf(seen.oomMemcg),
      ];
    case 'kernel-killed':
      return [
        { layer: 'kernel', what: 'OOM kill', value: seen.scope === 'memcg' ? 'at a limit' : 'of the node' },
      ];
    case 'kernel-group-kill':
      return [{ layer: 'kernel', what: 'memory.oom.group', value: 'all processes killed' }];
    case 'kernel-said':
      return [{ layer: 'kernel', what: 'kernel', value: seen.about }];
    case 'runtime-oom':
      return [{ layer: 'runtime', what: 'OOM event', value: 'sent' }];
    case 'runtime-exit':
      return seen.exitStatus === undefined || seen.exitStatus === 0
        ? []
        : [
            { layer: 'runtime', what: 'exit status', value: String(seen.exitStatus) },
            ...crashOf(seen.exitStatus),
          ];
    case 'kubelet-said':
      return [
        ...(KUBELET_WORDS.includes(seen.about)
          ? [{ layer: 'kubelet', what: 'log', value: seen.about } as const]
          : []),
      ];
    case 'pod-seen':
      return [
        ...(seen.reason === undefined ? [] : [reason(seen.reason)]),
        ...seen.containers.flatMap((container) => [
          ...endOf(container.reason, container.state === 'running' ? undefined : container.exitCode),
          ...endOf(container.last?.reason, container.last?.exitCode),
        ]),
      ];
    case 'kube-event':
      return COMMON_EVENTS.includes(seen.reason) ? [] : [reason(seen.reason)];
    case 'cgroup-values':
      return Number(seen.values.oom_kill ?? 0) > 0
        ? [{ layer: 'cgroup', what: 'oom_kill', value: 'rose' }]
        : [];
    case 'system-said':
      return [{ layer: 'node', what: seen.by, value: seen.about }];
    case 'boot-ended':
      return [{ layer: 'node', what: 'node', value: 'rebooted' }];
    case 'node-answered':
      return seen.said === 'silence' ? [{ layer: 'node', what: 'node', value: 'hung' }] : [];
    case 'node-seen':
      return seen.conditions.Ready === 'False' || seen.conditions.Ready === 'Unknown'
        ? [{ layer: 'node', what: 'node', value: 'not ready' }]
        : [];
    default:
      return [];
  }
}

function levelOf(path: string | undefined): CaseTrace[] {
  if (path === undefined) return [];
  const { level } = parseCgroupPath(path);
  return level === undefined ? [] : [{ layer: 'kernel', what: 'level of the limit', value: level }];
}

function reason(value: string): CaseTrace {
  return { layer: 'api', what: 'reason', value };
}

function endOf(why: string | undefined, exitCode: number | undefined): CaseTrace[] {
  return [
    ...(why === undefined || why === 'ContainerCreating' || why === 'PodInitializing' ? [] : [reason(why)]),
    ...(exitCode === undefined || exitCode === 0
      ? []
      : [{ layer: 'api', what: 'exit code', value: String(exitCode) } as const]),
  ];
}
