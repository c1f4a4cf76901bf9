import { numberOfDeath } from '../../model/declared/outcome.ts';
import type {
  BootEnded,
  CellRecord,
  KubeletSaid,
  ProcessExited,
  ProcessSeen,
} from '../../model/evidence/observation.ts';
import { indexEvidence, witnessedFrom, type EvidenceIndex, type Process } from '../records/evidence-index.ts';
import { findAskedTimes, isAskedBy, type AskedTimes } from './asked-times.ts';
import { findKillDue, isKilledEarly } from './grace.ts';
import { findKillingSignal, listShimKills, listSignals } from './killing-signal.ts';
import { findOom } from './oom-evidence.ts';
import { findInit, findContainerCgroups, findProcesses } from '../records/container-cgroups.ts';
import { findStopRequests } from './requests/find-stop-requests.ts';
import { findSandbox } from './sandbox.ts';
import { kubeletLinesOf } from '../records/kubelet-lines.ts';
import { findStrayExit } from '../records/stray-exit.ts';
import { findRuntimeCgroups, type SenderContext } from './senders.ts';
import { isClockSet } from './set-clock.ts';
import { CUT_MS } from '../../model/evidence/source-clocks.ts';
import { API_MS, SEEN_LATE_MS } from '../records/tolerances.ts';
import { findFirstDeath, type Victim } from './victim.ts';
import { listVictimDeaths } from './victim-deaths.ts';
import type { CaseFile, CellCase, GatheredCase } from './case-file.ts';
import { factsOfVariant, type ClusterFacts, type Question } from './question.ts';
import { earliest, isAtLeast, isAtMost, shift } from '../records/times.ts';
import { ofContainer } from '../records/of-container.ts';

/**
 * Opens the case of one death in the cell: that which the scenario expects, or the one that is asked for by its number; where
 * there is none, of the first pod; undefined when no pod matches.
 *
 * @param attempt number of the death, counted from 1.
 */
export function openCase(
  record: CellRecord,
  index: EvidenceIndex,
  attempt = numberOfDeath(record.expected),
): CellCase | undefined {
  const asked = attempt > 1 ? listVictimDeaths(record, index)[attempt - 1] : undefined;
  const victim = asked ?? findFirstDeath(record, factsOfVariant(record.variant), index);
  return victim && openCaseOfVictim(record, victim, index);
}

/** Opens the case of a victim of the cell that was found already. */
export function openCaseOfVictim(record: CellRecord, victim: Victim, index: EvidenceIndex): CellCase {
  return openCaseOf({ record, facts: factsOfVariant(record.variant), victim }, index);
}

/** A case as it is asked for. */
interface AskedCase<Asked extends Question> {
  readonly record: Asked;
  readonly facts: ClusterFacts;
  readonly victim: Victim;
}

/** Opens the case of one container, of a cell or of any other cluster. */
export function openCaseOf<Asked extends Question>(
  asked: AskedCase<Asked>,
  index: EvidenceIndex,
): CaseFile<Asked> {
  const gathered = gatherCase(asked, index);
  return { requests: findStopRequests(gathered), ...gathered };
}

/** Gathers the case part by part: who died, what ran in it, what was said of it, what was sent to it, when it ended. */
function gatherCase<Asked extends Question>(of: AskedCase<Asked>, index: EvidenceIndex): GatheredCase<Asked> {
  // Below, single fields come before whole parts: V8 takes many times as long to add fields to a copy.
  const { record, facts, victim } = of;
  const who = whoDied(record, facts, victim);
  const ran = whatRan(index, who, record);
  const stray = findStrayExit(index, ran.first, who.end, ran.node);
  if (stray !== undefined) return gatherCase(of, indexEvidence(index.all.filter((seen) => seen !== stray)));
  const said = whatWasSaid(index, who, ran);
  const startedAt = startOf(who);
  const from = ran.first?.from ?? startedAt;
  const asked = findAskedTimes(index, { record, from, startedAt, ...who, ...said });
  const endedAt = ran.initExit?.at ?? shift(who.end?.at, CUT_MS);
  const sent = whatWasSent(index, { who, ran, asked, endedAt });
  const killDueAt = findKillDue(index, { record, startedAt, ...who, ...said });
  const oom = findOom(index, {
    killingSignal: sent.killingSignal,
    startedAt,
    endedAt,
    isAsked: isAskedBy(endedAt, asked),
    isKilledEarly: isKilledEarly({ endedAt, killDueAt, ...who }),
    mayInfer: record.expected === undefined,
    ...who,
    ...ran,
  });
  return {
    record,
    facts,
    index,
    oom,
    // In gVisor the sandbox is the first process itself.
    sandbox: who.cgroups.sandboxed ? undefined : findSandbox(index, who.versions, { init: ran.init, ...who }),
    bootEnded: findBootEnd(index, ran.node, startedAt),
    isClockSet: isClockSet({ index, ...who, ...ran, ...said }),
    killDueAt,
    ...who,
    ...ran,
    ...said,
    ...sent,
    ...whenItEnded({ record, index, who, ran, sent, endedAt }),
  };
}

type Who = Pick<
  GatheredCase,
  'versions' | 'pod' | 'uids' | 'containerId' | 'cgroups' | 'view' | 'viewRef' | 'end'
>;

/** The judged pod and container, and how the container ended. */
function whoDied(
  record: Question,
  { sandboxed }: ClusterFacts,
  { versions, pod, uids, containerId, end }: Victim,
): Who {
  return {
    versions,
    pod,
    uids,
    containerId,
    cgroups: findContainerCgroups(sandboxed, uids, [containerId]),
    view: pod.containers.find((view) => view.name === record.victim.container),
    viewRef: pod.ref,
    end,
  };
}

function startOf({ end, view }: Who): number | undefined {
  return end?.startedAt ?? view?.startedAt;
}

type Ran = Pick<GatheredCase, 'processes' | 'first' | 'init' | 'initExit' | 'node'>;

/** The processes of the container, and the first of them. */
function whatRan(index: EvidenceIndex, who: Who, { nodes }: Question): Ran {
  const { cgroups, containerId, end, pod } = who;
  const processes = containerId === '' ? [] : findProcesses(index, cgroups);
  const init = findInit(processes, cgroups, metBy(index, processes, startOf(who)));
  const first = init && index.processes.find((process) => process.first === init || process.latest === init);
  return {
    processes,
    first,
    init,
    initExit: exitOf(first, cgroups.sandboxed ? end?.at : undefined),
    // What the API calls a node that nobody watched has no records of its own.
    node:
      [pod.node, init?.node].find((node) => node !== undefined && nodes?.includes(node) === true) ??
      pod.node ??
      init?.node,
  };
}

type Said = Pick<GatheredCase, 'podEvents' | 'kubeletLines'>;

/** What the kubelet and the API said of the container and its pod. */
function whatWasSaid(index: EvidenceIndex, { containerId, uids }: Who, { node }: Ran): Said {
  return {
    podEvents: index.of('kube-event').filter((event) => uids.includes(event.objectUid)),
    kubeletLines: findKubeletLines(index, { containerId, uids, node }),
  };
}

interface Sending {
  readonly who: Who;
  readonly ran: Ran;
  readonly asked: AskedTimes;
  readonly endedAt: number | undefined;
}

type Sent = Pick<GatheredCase, 'signals' | 'killingSignal' | 'shimKills'>;

/** The signals to the container and to its shim; none where the witness did not see its first process. */
function whatWasSent(index: EvidenceIndex, { who, ran, asked, endedAt }: Sending): Sent {
  const { containerId, cgroups, end } = who;
  const { first, processes } = ran;
  if (first === undefined) return { signals: [], killingSignal: undefined, shimKills: [] };
  const context: SenderContext = {
    index,
    containerId,
    init: first,
    processes: firstsOf(index, processes),
    runtimeCgroups: findRuntimeCgroups(index, first.boot),
    asked,
  };
  const signals = listSignals(context, endedAt);
  const exitCode = cgroups.sandboxed ? undefined : end?.exitCode;
  return {
    signals,
    killingSignal: findKillingSignal(signals, context, endedAt, exitCode),
    shimKills: listShimKills(context, endedAt),
  };
}

interface Ending extends Pick<GatheredCase, 'record' | 'index' | 'endedAt'> {
  readonly who: Who;
  readonly ran: Ran;
  readonly sent: Sent;
}

type Times = Pick<GatheredCase, 'endedAt' | 'decidedAt' | 'from' | 'to'>;

/** When the container ended, when that was decided, and for which time evidence must be whole. */
function whenItEnded({ record, index, who, ran, sent, endedAt }: Ending): Times {
  const beganAt = Date.parse(record.startedAt);
  return {
    endedAt,
    decidedAt:
      sent.killingSignal?.stop.at ??
      findFirstStop(index, who.containerId, endedAt) ??
      ran.initExit?.at ??
      endedAt,
    from: Math.max(beganAt, startOf(who) ?? beganAt) - SEEN_LATE_MS,
    // That a container lives on after the death of a child holds only as long as it was watched.
    to: endedAt === undefined ? Date.parse(record.endedAt) : endedAt + API_MS,
  };
}

/**
 * When the witness has met the first process of a container: soon after it started, or after the witness began. Where its
 * records of that time are lost, it is before they are.
 */
function metBy(
  index: EvidenceIndex,
  seen: readonly ProcessSeen[],
  startedAt: number | undefined,
): number | undefined {
  const boot = seen[0]?.boot;
  const watched = witnessedFrom(index, boot);
  if (startedAt === undefined || watched === undefined) return undefined;
  const by = Math.max(startedAt, watched) + API_MS + SEEN_LATE_MS;
  const gaps = index
    .of('lost')
    .filter((lost) => lost.source === 'witness' && lost.boot === boot)
    .filter(
      (lost) =>
        isAtMost(lost.at, by, { unknown: 'does not' }) &&
        isAtLeast(lost.until, startedAt - API_MS, { unknown: 'does not' }),
    );
  return earliest([by, ...gaps.map(({ at }) => at)]);
}

/** @param endedAt when the container ended. Its sandbox may outlive it: a later exit is not the container's. */
function exitOf(first: Process | undefined, endedAt: number | undefined): ProcessExited | undefined {
  const exit = first?.exit;
  if (exit?.at === undefined || endedAt === undefined) return exit;
  return exit.at <= endedAt + API_MS ? exit : undefined;
}

/** The first records of the processes that these records belong to. */
function firstsOf(index: EvidenceIndex, seen: readonly ProcessSeen[]): ProcessSeen[] {
  const own = new Set(seen);
  return index.processes.flatMap((process) =>
    own.has(process.first) || own.has(process.latest) ? [process.first] : [],
  );
}

interface OfContainer {
  readonly containerId: string;
  readonly uids: readonly string[];
  readonly node: string | undefined;
}

/** Lines that name the container, or its pod and no container. */
function findKubeletLines(index: EvidenceIndex, { containerId, uids, node }: OfContainer): KubeletSaid[] {
  if (containerId === '') return [];
  return kubeletLinesOf(index, containerId, uids).filter((line) => line.node === node);
}

/** When the runtime first logs that it stops the container. Where nobody traced its signals, that decides the end. */
function findFirstStop(
  index: EvidenceIndex,
  containerId: string,
  until: number | undefined,
): number | undefined {
  return ofContainer(index.of('runtime-stop'), containerId).find(({ at }) =>
    isAtMost(at, until, { unknown: 'counts' }),
  )?.at;
}

/** The first boot of the node that ended after the container had started. */
function findBootEnd(
  index: EvidenceIndex,
  node: string | undefined,
  startedAt: number | undefined,
): BootEnded | undefined {
  return index
    .of('boot-ended')
    .find(
      (boot) =>
        boot.node === node &&
        isAtMost(startedAt, boot.nextAt ?? boot.at, { unknown: 'counts', unknownLimit: 'does not' }),
    );
}
