import type { EvidenceRef, Finding } from '../../model/saved/formats.ts';
import { isOfContainer, isOfPods, levelOf } from '../../model/evidence/cgroup-path.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { isRequested } from '../../model/killers/killers.ts';
import { nameSignal } from '../../model/evidence/signals.ts';
import { compareKillCounts, findUnnamedPodKills } from '../case/kill-counts.ts';
import type { CaseFile } from '../case/case-file.ts';
import { becauseOf, refs, type Conclusion } from './conclusion.ts';
import { findBrokenMemory, findOopses } from '../case/kernel-oops.ts';
import type { SignalToContainer } from '../case/killing-signal.ts';
import { findFinalAct } from '../case/final-act.ts';
import { findRefusedFork, readForkCounters } from '../case/fork-counters.ts';
import type { StopRequest } from '../case/requests/stop-request.ts';
import { STRANGERS } from '../case/senders.ts';
import { isEventOf } from '../records/event-container.ts';
import { GIVES_UP_MS, SAME_OOM_MS } from '../records/tolerances.ts';
import { compareTimes, isAtMost, spanMs } from '../records/times.ts';

interface Found extends Finding {
  readonly at: number | undefined;
}

/**
 * Everything else that happened to the container, its pod or its node while it lived, oldest first, without the records
 * that the conclusion cites. A hostile record that nothing explains is marked: it keeps the conclusion from being
 * proven.
 */
export function collectFindings(file: CaseFile, conclusion: Conclusion): Finding[] {
  const cited = new Set(becauseOf(conclusion).map(nameOf));
  const isNew = (finding: Found): boolean => !finding.because.some((ref) => cited.has(nameOf(ref)));
  const found = [
    ...oomKills(file),
    ...signals(file, conclusion),
    ...refusedForks(file, conclusion),
    ...oopses(file),
    ...brokenMemory(file, conclusion),
    ...failedExecs(file),
    ...unnamedKills(file),
    ...requests(file, conclusion),
  ];
  return tellOnce(found.filter(isNew).sort((a, b) => compareTimes(a.at, b.at, { unknown: 'first' })));
}

/**
 * Tells of what happened again and again once, with its first and its last record: the sandbox of gVisor works by faults
 * of its own processes, hundreds a second.
 */
function tellOnce(found: readonly Found[]): Finding[] {
  const byWhat = groupBy(found, ({ explained, what }) => `${String(explained)} ${what}`);
  return [...byWhat.values()].flatMap((all): Finding[] => {
    const [first, last] = [all[0], all.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { what, explained, because } = first;
    if (first === last) return [{ what, explained, because }];
    return [{ what: `${what}, ${all.length} times`, explained, because: [...because, ...last.because] }];
  });
}

function nameOf(ref: EvidenceRef): string {
  return `${ref.file}:${ref.line ?? ''}`;
}

/** Processes of this container, and of others of its pod, that the OOM killer took without ending the container. */
function oomKills(file: CaseFile): Found[] {
  const { index, oom, uids } = file;
  const own = oom.kills
    .filter((kill) => !(oom.ended !== undefined && isSameReport(kill, oom.kill)))
    .map((kill) => ({
      what: `the OOM killer took a process of it, pid ${kill.pid} (${kill.comm})`,
      explained: true,
      because: [kill.ref],
      at: kill.at,
    }));
  const counted =
    oom.ended === undefined && oom.kills.length === 0 && oom.counter !== undefined
      ? [
          {
            what: `an OOM kill was counted in its cgroup or its pod's, and no line of the kernel names a victim`,
            explained: false,
            because: [oom.counter.values.ref],
            at: oom.counter.values.at,
          },
        ]
      : [];
  const siblings = index
    .of('kernel-oom-context')
    .filter(
      (context) =>
        context.spared !== true &&
        isOfPods(context.taskMemcg ?? '', uids) &&
        isOfSibling(file, context.taskMemcg ?? ''),
    )
    .filter((context) => context.at === undefined || (context.at >= file.from && context.at <= file.to))
    .map((context) => ({
      what: `the OOM killer took a process of another container of the pod, pid ${context.pid} (${context.comm})`,
      explained: true,
      because: [context.ref],
      at: context.at,
    }));
  return [...own, ...counted, ...siblings];
}

/**
 * Whether the cgroup is that of a container with another name. The judged container may have been restarted in the pod.
 */
function isOfSibling({ index, pod, record, uids, versions }: CaseFile, cgroup: string): boolean {
  const reported = versions
    .filter((version) => version.uid === pod.uid)
    .flatMap((version) => version.containers.map(({ name, id }) => ({ name, id })));
  const made = index
    .of('runtime-created')
    .filter((created) => uids.includes(created.podUid))
    .map((created) => ({ name: created.container, id: created.containerId }));
  return [...reported, ...made].some(
    ({ name, id }) => name !== record.victim.container && isOfContainer(cgroup, id),
  );
}

/** A group kill prints its first victim twice, and each member once. */
function isSameReport(a: { at: number | undefined }, b: { at: number | undefined } | undefined): boolean {
  return b?.at === undefined || a.at === undefined || Math.abs(a.at - b.at) <= SAME_OOM_MS;
}

/** Signals from strangers, and those of its own that end a process unless it handles them. */
function signals(file: CaseFile, conclusion: Conclusion): Found[] {
  const killer = file.killingSignal?.sent;
  const isSameAct = (signal: SignalToContainer): boolean =>
    killer !== undefined && signal.sent.senderPid === killer.senderPid && isBySender(conclusion);
  const found = file.signals.filter((signal) => signal.sent !== killer);
  const strange = found
    .filter((signal) => STRANGERS.includes(signal.sender) || signal.sender === 'unseen')
    .map((signal) => tellSignal(signal, 'from outside', isSameAct(signal)));
  const own = found
    .filter((signal) => signal.process !== file.first && signal.sender === 'container' && isDeadly(signal))
    .map((signal) => tellSignal(signal, 'from itself', true));
  const shim = file.shimKills
    .filter((signal) => STRANGERS.includes(signal.sender) || signal.sender === 'unseen')
    .map(({ sent }) => ({
      what: `SIGKILL from outside to its shim ${sent.pid}, by pid ${sent.senderPid} (${sent.senderComm})`,
      explained: killer !== undefined && sent.senderPid === killer.senderPid && isBySender(conclusion),
      because: [sent.ref],
      at: sent.at,
    }));
  return [...strange, ...own, ...shim];
}

/** Of a signal to itself it is not told which process that was: a sandbox that works by faults has one line for each signal. */
function tellSignal({ sent, process }: SignalToContainer, from: string, explained: boolean): Found {
  const name = nameSignal(sent.signal);
  const { comm } = process.latest;
  const what =
    sent.pid === sent.senderPid
      ? `${name} from a process of it (${comm}) to itself`
      : `${name} ${from} to its process ${sent.pid} (${comm}), by pid ${sent.senderPid} (${sent.senderComm})`;
  return { what, explained, because: [sent.ref], at: sent.at };
}

/** Faults, abort() and SIGKILL. */
function isDeadly({ sent }: SignalToContainer): boolean {
  return [4, 5, 6, 7, 8, 9, 11, 31].includes(sent.signal);
}

/** Several signals of one sender are one act. */
function isBySender({ killer }: Conclusion): boolean {
  return ['external-signal', 'earlyoom', 'systemd-oomd', 'node-shutdown', 'node-reboot'].includes(killer);
}

/** A program may have ended itself for a fork that was refused right before. */
function refusedForks(file: CaseFile, { killer }: Conclusion): Found[] {
  const isOwn = (path: string): boolean =>
    isOfPods(path, file.uids) && (isOfContainer(path, file.containerId) || levelOf(path) === 'pod');
  const rise = file.containerId === '' ? undefined : findRefusedFork(readForkCounters(file, file.to), isOwn);
  return rise === undefined
    ? []
    : [
        {
          what: 'the limit of processes refused a fork',
          explained:
            !isOwnEnd(killer) ||
            !isAtMost(spanMs(rise.values.at, file.endedAt ?? file.to), GIVES_UP_MS, { unknown: 'does not' }),
          because: [rise.values.ref],
          at: rise.values.at,
        },
      ];
}

function isOwnEnd(killer: Conclusion['killer']): boolean {
  return killer === 'self-exit' || killer === 'self-signal';
}

function oopses(file: CaseFile): Found[] {
  return findOopses(file).map((line) => ({
    what: 'the kernel reported a fault of its own',
    explained: false,
    because: [line.ref],
    at: line.at,
  }));
}

/** Broken hardware ends a program as a fault of its own does. */
function brokenMemory(file: CaseFile, { killer }: Conclusion): Found[] {
  return findBrokenMemory(file).map((line) => ({
    what: 'the hardware broke memory of it: the kernel signals a process for that, whatever its program does',
    explained: !isOwnEnd(killer),
    because: [line.ref],
    at: line.at,
  }));
}

/** runc compares the count of OOM kills before and after an exec that failed (libcontainer/process_linux.go). */
const EXEC_OOM = /\(possibly OOM-killed\)/;

/** A process that was being added to the container, by a probe, a hook or a person, and may have been OOM-killed. */
function failedExecs({ podEvents, record, to }: CaseFile): Found[] {
  return podEvents
    .filter((event) => isEventOf(record.victim.container, event) && EXEC_OOM.test(event.message))
    .filter(({ at }) => isAtMost(at, to, { unknown: 'counts' }))
    .map((event) => ({
      what: 'the runtime could not add a process to it, and an OOM kill was counted meanwhile',
      explained: true,
      because: [event.ref],
      at: event.at,
    }));
}

function unnamedKills(file: CaseFile): Found[] {
  const node = compareKillCounts(file);
  if (node.state === 'lines-missing') return [tellMissing(node.missing, node.last.ref, node.last.at)];
  const pods = findUnnamedPodKills(file);
  return pods === undefined ? [] : [tellMissing(pods.missing, pods.rise.values.ref, pods.rise.values.at)];
}

function tellMissing(count: number, ref: EvidenceRef, at: number | undefined): Found {
  const what = `${count} OOM ${count === 1 ? 'kill was' : 'kills were'} counted that no line of the kernel log names`;
  return { what, explained: false, because: [ref], at };
}

/** Other requests for the end: explained when they came too late. */
function requests(file: CaseFile, { killer }: Conclusion): Found[] {
  const { cause, rivals, later } = file.requests;
  const pending = cause === undefined || isRequested(killer) ? [] : [cause];
  // Memory ran out, whoever had asked it to end besides.
  const act = findFinalAct(file)?.act;
  const isDecided = act === 'oom' || act === 'earlyoom' || act === 'systemd-oomd';
  const tell = (request: StopRequest, explained: boolean): Found => ({
    what: `${request.killer}${request.how === undefined ? '' : ` (${request.how})`} was ${later.includes(request) ? 'asked for when the end was decided already' : 'asked for as well'}`,
    explained,
    because: refs(...request.refs),
    at: request.at,
  });
  return [
    ...[...pending, ...rivals].map((request) => tell(request, isDecided)),
    ...later.map((request) => tell(request, true)),
  ].filter((finding) => finding.because.length > 0);
}
