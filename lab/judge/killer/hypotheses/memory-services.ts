import { isOfContainer, isOfPods, levelOf } from '../../../model/evidence/cgroup-path.ts';
import type { SystemSaid } from '../../../model/evidence/observation.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { isWhole } from '../../case/coverage.ts';
import { EXIT_SIGKILL, EXIT_SIGTERM } from '../../records/exit-codes.ts';
import { findStartedPid } from '../../records/evidence-index.ts';
import { isNear } from '../../records/times.ts';
import { SAID_MS } from '../../records/tolerances.ts';
import { blame, SIGNAL_DECISIVE } from '../blame.ts';
import type { Hypothesis } from '../hypothesis.ts';
import type { Conclusion } from '../conclusion.ts';

type Service = 'systemd-oomd' | 'earlyoom';

/** A service that watches the node's memory. Its own log names this process or cgroup. */
function blameService(file: CaseFile, service: Service): Conclusion | undefined {
  if (file.killingSignal?.sender !== service) return undefined;
  const conclusion = blame(file, service);
  const sent = file.killingSignal?.sent;
  if (conclusion === undefined || sent === undefined) return conclusion;
  const said = findServiceSaid(file, service, sent.pid, sent.at);
  // A program may borrow a name, but not the cgroup or the log of the service.
  const known = said !== undefined || sent.senderCgroup !== undefined;
  return {
    ...conclusion,
    steps: { cause: [said?.ref], ...conclusion.steps },
    doubts: [...(conclusion.doubts ?? []), ...(known ? [] : [`only the name of the sender says ${service}`])],
  };
}

/** Judges without a trace of the first process: the service's own log names it, or a cgroup that holds it. */
function blameByLog(file: CaseFile, service: Service): Conclusion | undefined {
  const { end, first } = file;
  if (end?.at === undefined || first !== undefined || !isKilled(end.exitCode)) return undefined;
  const said = findServiceSaid(file, service, findStartedPid(file.index, file.containerId), end.at);
  if (said === undefined) return undefined;
  return {
    killer: service,
    steps: { cause: [said.ref], end: [end.ref] },
    at: said.at,
    decisive: SIGNAL_DECISIVE,
    doubts: ['nobody traced the signal'],
  };
}

/** SIGTERM or SIGKILL, as runtimes report them. */
function isKilled(exitCode: number | undefined): boolean {
  return exitCode === EXIT_SIGTERM || exitCode === EXIT_SIGKILL;
}

function findServiceSaid(
  file: CaseFile,
  service: SystemSaid['by'],
  pid: number | undefined,
  at: number | undefined,
): SystemSaid | undefined {
  return file.index.of('system-said').find(
    (line) =>
      line.about === 'kill' &&
      line.by === service &&
      line.node === file.node &&
      ((pid !== undefined && line.pid === pid) || isAbove(line.cgroup, file)) &&
      // Where nobody dated either, the rest must do; and the cgroup of a container ends with it.
      (line.at === at || isNear(line.at, at, SAID_MS, { unknown: 'does not' }) || isOwnScope(line, file)),
  );
}

/** Whether nobody dates the line, and it names the cgroup of this very container, and no nested one. */
function isOwnScope({ at, cgroup = '' }: SystemSaid, { containerId }: CaseFile): boolean {
  const last = cgroup.slice(cgroup.lastIndexOf('/'));
  return at === undefined && containerId !== '' && isOfContainer(last, containerId);
}

function isAbove(cgroup: string | undefined, file: CaseFile): boolean {
  if (cgroup === undefined) return false;
  if (file.init !== undefined) return `${file.init.cgroup}/`.startsWith(`${cgroup}/`);
  // The scope of another container of the pod is not above this one.
  return file.cgroups.holds(cgroup) || (isOfPods(cgroup, file.uids) && levelOf(cgroup) !== 'container');
}

function findKills({ index, node }: CaseFile, service: Service): SystemSaid[] {
  return index
    .of('system-said')
    .filter((line) => line.about === 'kill' && line.by === service && line.node === node);
}

/** A kill of a process that nobody knows, right before the end of a container whose processes nobody knows. */
function leftUnknown(file: CaseFile, service: Service): string | undefined {
  const { end, first, index, containerId } = file;
  if (end?.at === undefined || first !== undefined || !isKilled(end.exitCode)) return undefined;
  if (findStartedPid(index, containerId) !== undefined) return undefined;
  const isUnknown = findKills(file, service).some(
    ({ at, cgroup }) => cgroup === undefined && isNear(at, end.at, SAID_MS, { unknown: 'counts' }),
  );
  return isUnknown ? 'it killed a process right then, and nothing tells of which container' : undefined;
}

/** Which of the whole sources tells of no kill: one that was not given says nothing. */
function sayNone(file: CaseFile, service: Service): string {
  const [hasTrace, hasLog] = [isWhole(file, ['trace']), isWhole(file, ['system'])];
  if (hasTrace && hasLog) return `neither the trace nor the log of ${service} tells of one`;
  return hasTrace ? 'the trace tells of none' : `the log of ${service} tells of none`;
}

/** A service of the node that watches its memory. */
function serviceHypothesis(service: Service): Hypothesis {
  return {
    what: `a kill by ${service}`,
    killers: [service],
    acts: [service, 'itself'],
    left: {
      sources: [['trace'], ['system']],
      by: (file) => sayNone(file, service),
      wanted: `the journal of ${service}`,
      isSeen: (file) => findKills(file, service).length > 0,
      leftOpen: (file) => leftUnknown(file, service),
      records: (file) => findKills(file, service).map(({ ref }) => ref),
    },
    hear: (file) =>
      file.killingSignal === undefined ? blameByLog(file, service) : blameService(file, service),
  };
}

export const SYSTEMD_OOMD = serviceHypothesis('systemd-oomd');
export const EARLYOOM = serviceHypothesis('earlyoom');
