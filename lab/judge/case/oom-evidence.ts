import { isOfPods, levelOfLimit } from '../../model/evidence/cgroup-path.ts';
import type { Level } from '../../model/killers/killers.ts';
import type {
  KernelGroupKill,
  KernelKilled,
  KernelOomContext,
  KernelReaped,
  OomVictim,
} from '../../model/evidence/observation.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import { findRise, findRiseOfPod, levelOfCounters, type CounterRise } from './oom-counters.ts';
import { endedOf, isOfFirst, isThreadOfFirst, type OomEnd } from './oom-ended.ts';
import {
  coversFirst,
  isKillNearEnd,
  isOfSameOom,
  isTooEarly,
  isTooLate,
  mayBeNearEnd,
  type Target,
} from './oom-target.ts';
import { oomReadings } from '../records/readings.ts';

/** Everything that says that the OOM killer hit this container. */
export interface OomEvidence {
  /** Kernel lines about processes of this container. */
  readonly kills: readonly KernelKilled[];
  /** The kill of the container's first process, which ends the container; else the first kill. */
  readonly kill: KernelKilled | undefined;
  /** The kernel's summary of that kill, or of its group's first. The kernel prints at most ten of them in five seconds. */
  readonly context: KernelOomContext | undefined;
  /** The kernel's line that it kills a whole cgroup (`memory.oom.group`) which holds the first process. */
  readonly group: KernelGroupKill | undefined;
  /** The same of a nested cgroup of the container, which does not hold its first process: only a part of it was killed. */
  readonly partGroup: KernelGroupKill | undefined;
  /** The trace's record that the kernel chose the process of that kill as its victim. */
  readonly mark: OomVictim | undefined;
  /** Summaries, choices and reaped processes of this container without a line that they were killed. */
  readonly hints: readonly (KernelOomContext | OomVictim | KernelReaped)[];
  /** The rise of the container's own counter; of the pod's, when the container's was never read. */
  readonly counter: CounterRise | undefined;
  /** Where the limit was hit: from the summary, else from the counters. */
  readonly level: Level | undefined;
  /** Whether the container ended by the kill. A kill of another of its processes, long before its end, is a finding. */
  readonly ended: OomEnd | undefined;
}

const NONE: OomEvidence = {
  kills: [],
  kill: undefined,
  context: undefined,
  group: undefined,
  partGroup: undefined,
  mark: undefined,
  hints: [],
  counter: undefined,
  level: undefined,
  ended: undefined,
};

/** Gathers the OOM evidence of one container, without that of other pods in the same second. */
export function findOom(index: EvidenceIndex, target: Target): OomEvidence {
  if (target.containerId === '') return NONE;
  const kills = index
    .of('kernel-killed')
    .filter(
      (hint) => hits(index, hint, target) && !isTooLate(hint.at, target) && !isTooEarly(hint.at, target),
    );
  const ofFirst = kills.find((hint) => isOfFirst(index, hint, target));
  const covering = kills.find(
    (killed) => findGroup(index, killed, target) !== undefined && mayBeNearEnd(killed, target),
  );
  const threadOfFirst = kills.find((killed) => isThreadOfFirst(index, killed, target));
  const nearest = kills.findLast((killed) => isKillNearEnd(killed, target));
  const kill =
    ofFirst ?? threadOfFirst ?? covering ?? (target.endedAt === undefined ? kills[0] : (nearest ?? kills[0]));
  const group = kill && findGroup(index, kill, target);
  const partGroup = kill && group === undefined ? findPartGroup(index, kill, target) : undefined;
  const context = kill?.context ?? group?.context ?? partGroup?.context;
  // The cgroup of a runc container is its own. That of its pod, or of a sandbox, counts on after its end.
  const isShared = (path: string): boolean => target.cgroups.sandboxed || !target.cgroups.holds(path);
  const values = oomReadings(index).filter(
    (reading) => !(isTooLate(reading.at, target) && isShared(reading.path)),
  );
  const counter =
    findRise(values, (path) => target.cgroups.holds(path), 'oom_kill') ??
    findRiseOfPod(values, index.of('kernel-oom-context'), target, kill);
  const hints = kill === undefined ? findHints(index, target) : [];
  const summary = context ?? hints.find((hint) => hint.kind === 'kernel-oom-context');
  const found = {
    kills,
    kill,
    context,
    group,
    partGroup,
    mark: kill && findMark(index, kill),
    hints,
    counter,
    level: summary ? levelOfContext(summary, target) : levelOfCounters(values, target),
  };
  const isFirst = kill !== undefined && (kill === ofFirst || kill === threadOfFirst);
  return { ended: endedOf(index, found, target, isFirst), ...found };
}

/** Records of a victim without the line that it was killed: some kernels omit the line, or limit its rate. */
function findHints(index: EvidenceIndex, target: Target): (KernelOomContext | OomVictim | KernelReaped)[] {
  const isOwn = (record: { boot: string; pid: number; at: number | undefined }): boolean => {
    const process = index.processAt(record.boot, record.pid, record.at);
    return process !== undefined && target.processes.includes(process.first);
  };
  const contexts = index
    .of('kernel-oom-context')
    .filter((context) => context.spared !== true)
    .filter((context) =>
      context.taskMemcg === undefined ? isOwn(context) : target.cgroups.holds(context.taskMemcg),
    );
  const others = [...index.of('oom-victim'), ...index.of('kernel-reaped')].filter(isOwn);
  return [...contexts, ...others].filter(
    (hint) => !isTooLate(hint.at, target) && !isTooEarly(hint.at, target),
  );
}

function hits(index: EvidenceIndex, kill: KernelKilled, target: Target): boolean {
  if (target.node !== undefined && kill.node !== target.node) return false;
  const cgroup = kill.context?.taskMemcg;
  if (cgroup !== undefined) return target.cgroups.holds(cgroup);
  const process = index.processAt(kill.boot, kill.pid, kill.at);
  return process !== undefined && target.processes.includes(process.first);
}

function findMark(index: EvidenceIndex, kill: KernelKilled): OomVictim | undefined {
  return index.of('oom-victim').find((mark) => mark.pid === kill.pid && isOfSameOom(mark, kill));
}

/** Finds the line that names the cgroup in which all die: the container's, or one above it. */
function findGroup(index: EvidenceIndex, kill: KernelKilled, target: Target): KernelGroupKill | undefined {
  return index
    .of('kernel-group-kill')
    .find((line) => isOfSameOom(line, kill) && coversFirst(line.cgroup, target));
}

function findPartGroup(
  index: EvidenceIndex,
  kill: KernelKilled,
  { cgroups, uids }: Target,
): KernelGroupKill | undefined {
  return index
    .of('kernel-group-kill')
    .find((line) => isOfSameOom(line, kill) && cgroups.holds(line.cgroup) && isOfPods(line.cgroup, uids));
}

function levelOfContext(context: KernelOomContext, { uids }: Target): Level | undefined {
  if (context.global) return context.ranOut === 'numa-nodes' ? undefined : 'node';
  return levelOfLimit(context.oomMemcg ?? '/', uids);
}
