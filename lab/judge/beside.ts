import type { EvidenceRef, Finding } from '../model/formats.ts';
import { SIGNAL_NAMES } from '../model/signal-names.ts';
import { closeBooks } from './books.ts';
import type { CaseFile } from './case-file.ts';
import { becauseOf, refs, type Conclusion } from './conclusion.ts';
import type { SignalToContainer } from './first-end.ts';
import { isOfPod, levelOf } from './levels.ts';
import { findRise } from './oom-evidence.ts';
import { findRequests, type Request } from './requests.ts';
import { STRANGERS } from './senders.ts';

interface Found extends Finding {
  readonly at: number | undefined;
}

/**
 * Everything else that happened to the container, its pod or its node while it lived, oldest first. What the conclusion
 * rests on is left out. A hostile record that nothing explains is marked: it keeps the conclusion from being proven.
 */
export function findBeside(file: CaseFile, conclusion: Conclusion): Finding[] {
  const cited = new Set(becauseOf(conclusion).map(nameOf));
  const isNew = (each: Found): boolean => !each.because.some((ref) => cited.has(nameOf(ref)));
  const found = [
    ...oomKills(file),
    ...signals(file, conclusion),
    ...refusedForks(file),
    ...faults(file),
    ...books(file),
    ...requests(file),
  ];
  return found
    .filter(isNew)
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
    .map(({ what, explained, because }) => ({ what, explained, because }));
}

function nameOf(ref: EvidenceRef): string {
  return `${ref.file}:${ref.line ?? ''}`;
}

/** Processes of this container, and of others of its pod, that the OOM killer took beside the end. */
function oomKills(file: CaseFile): Found[] {
  const { index, oom, uids, place } = file;
  const own = oom.kills
    .filter((each) => !(oom.ended !== undefined && isSameReport(each, oom.kill)))
    .map((each) => ({
      what: `the OOM killer took a process of it, pid ${each.pid} (${each.comm})`,
      explained: true,
      because: [each.ref],
      at: each.at,
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
    .filter((each) => {
      const cgroup = each.taskMemcg ?? '';
      return cgroup !== '' && !place.holds(cgroup) && uids.some((uid) => isOfPod(cgroup, uid));
    })
    .map((each) => ({
      what: `the OOM killer took a process of another container of the pod, pid ${each.pid} (${each.comm})`,
      explained: true,
      because: [each.ref],
      at: each.at,
    }));
  return [...own, ...counted, ...siblings];
}

/** A group kill prints its first victim twice, and each member once. */
function isSameReport(a: { at: number | undefined }, b: { at: number | undefined } | undefined): boolean {
  return b?.at === undefined || a.at === undefined || Math.abs(a.at - b.at) <= 1000;
}

/** Signals from strangers, and those that ended another process of it. */
function signals(file: CaseFile, conclusion: Conclusion): Found[] {
  const killer = file.killingSignal?.sent;
  const isPart = (each: SignalToContainer): boolean =>
    each.sent === killer ||
    (killer !== undefined && each.sent.senderPid === killer.senderPid && isExplainedBy(conclusion));
  return file.signals
    .filter((each) => (STRANGERS.includes(each.sender) || each.sender === 'unseen') && !isPart(each))
    .map((each) => ({
      what: `${SIGNAL_NAMES[each.sent.signal] ?? `signal ${each.sent.signal}`} from outside to its process ${each.sent.pid} (${each.process.latest.comm}), from pid ${each.sent.senderPid} (${each.sent.senderComm})`,
      explained: false,
      because: [each.sent.ref],
      at: each.sent.at,
    }));
}

/** Several signals of one sender are one act. */
function isExplainedBy({ killer }: Conclusion): boolean {
  return ['external-signal', 'earlyoom', 'systemd-oomd', 'node-shutdown', 'node-reboot'].includes(killer);
}

function refusedForks(file: CaseFile): Found[] {
  const isOwn = (path: string): boolean =>
    file.uids.some((uid) => isOfPod(path, uid)) &&
    (path.includes(file.containerId) || levelOf(path) === 'pod');
  const values = file.index
    .of('cgroup-values')
    .filter((each) => each.file === 'pids.events' && each.node === file.node && (each.at ?? 0) <= file.to);
  const rise = file.containerId === '' ? undefined : findRise(values, isOwn, 'max', ['pids.events']);
  return rise === undefined
    ? []
    : [
        {
          what: 'the limit of processes refused a fork',
          explained: true,
          because: [rise.values.ref],
          at: rise.values.at,
        },
      ];
}

/** Faults of the kernel itself. */
function faults(file: CaseFile): Found[] {
  return file.index
    .of('kernel-said')
    .filter(
      (each) =>
        each.about === 'oops' &&
        each.node === file.node &&
        (each.at === undefined || (each.at >= file.from && each.at <= file.to)),
    )
    .map((each) => ({
      what: 'the kernel reported a fault of its own',
      explained: false,
      because: [each.ref],
      at: each.at,
    }));
}

function books(file: CaseFile): Found[] {
  const found = closeBooks(file);
  if (found.state !== 'lines-missing') return [];
  return [
    {
      what: `${found.missing} OOM ${found.missing === 1 ? 'kill was' : 'kills were'} counted that no line of the kernel log names`,
      explained: false,
      because: [found.last.ref],
      at: found.last.at,
    },
  ];
}

/** What was asked for beside what led to the end: explained when it came too late. */
function requests(file: CaseFile): Found[] {
  const { rivals, later } = findRequests(file);
  const tell = (each: Request, explained: boolean): Found => ({
    what: `${each.killer}${each.how === undefined ? '' : ` (${each.how})`} was ${explained ? 'asked for when the end was decided already' : 'asked for as well'}`,
    explained,
    because: refs(...each.refs),
    at: each.at,
  });
  return [...rivals.map((each) => tell(each, false)), ...later.map((each) => tell(each, true))].filter(
    (each) => each.because.length > 0,
  );
}
