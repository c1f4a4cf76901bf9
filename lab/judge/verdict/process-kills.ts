import type { OutsiderExited, SignalSent } from '../../model/evidence/observation.ts';
import { SI_KERNEL, SIGKILL } from '../../model/evidence/signals.ts';
import { listProcessNames } from '../../model/declared/outcome.ts';
import type { Killer } from '../../model/killers/killers.ts';
import type { EvidenceRef, Mismatch } from '../../model/saved/formats.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import { compilePathGlob } from '../../model/text/match-glob.ts';
import type { CellCase } from '../case/case-file.ts';
import { describeGaps, findGaps } from '../case/coverage.ts';
import { isInPod, isService } from '../case/senders.ts';
import { isAfter, isAtLeast, isAtMost, shift } from '../records/times.ts';
import { LATE_MS } from '../records/tolerances.ts';

/** Services that kill for lack of memory, and are killers of their own. */
const SERVICES = ['systemd-oomd', 'earlyoom'] as const;

/** A process in no pod that somebody sent SIGKILL. */
interface ProcessKill {
  /** `<node>/process/<name>` */
  readonly who: string;
  /** The killer and the signal with its sender. */
  readonly what: string;
  readonly ref: EvidenceRef;
}

/** What is seen of a process in no pod, which nobody waits for, where its end was not asked for. */
const NO_KILL =
  'nobody killed it: an OOM kill or a SIGKILL would have been recorded, any other end of it is not';
const NO_END = 'it did not end: every end of a process of that name would have been recorded';

/** What was seen of a process in no pod that had to die and did not. */
export function describeNoEnd(file: CellCase, glob: string): typeof NO_KILL | typeof NO_END {
  return isWatched(file, glob) ? NO_END : NO_KILL;
}

/** Whether the witness of a node that the glob means was asked for ends of that name. */
function isWatched(file: CellCase, glob: string): boolean {
  return file.index
    .of('ends-watched')
    .some(({ node = '', names }) => listProcessNames(node, [glob]).some((name) => names.includes(name)));
}

/**
 * Finds who was sent SIGKILL outside of pods. The witness traces signals to every process of the node, and ends only of those
 * in pods. But nothing survives a SIGKILL, and one that has no effect the kernel calls ignored. Another signal may be caught,
 * so it proves no end. Ends of such processes are ordinary on a node: they count where a scenario asks for them.
 */
export function findProcessKills(file: CellCase): ProcessKill[] {
  const startedAt = Date.parse(file.record.startedAt);
  return file.index
    .of('signal-sent')
    .filter(
      (sent) =>
        sent.signal === SIGKILL &&
        isAtLeast(sent.at, startedAt, { unknown: 'does not' }) &&
        !isOfPods(file, sent),
    )
    .map((sent) => {
      const killer = killerOf(sent);
      const what = killer === undefined ? sent.ref.text : `${killer}, ${sent.ref.text}`;
      return { who: `${sent.node ?? ''}/process/${sent.comm}`, what, ref: sent.ref };
    });
}

/** Whether the process that was signalled is one of a pod: a container is told of in other ways. */
function isOfPods(file: CellCase, sent: SignalSent): boolean {
  const process = file.index.processAt(sent.boot, sent.pid, sent.at);
  // The number of one that has ended may be in use again, outside of pods.
  const hasEnded = isAfter(sent.at, shift(process?.exit?.at, LATE_MS), { unknown: 'does not' });
  return isInPod(sent.targetCgroup ?? '') || (process !== undefined && !hasEnded);
}

/** Finds whatever else ended outside of pods, with the last signal to it. Only ends that the scenario asks for are recorded. */
export function findProcessEnds(file: CellCase): ProcessKill[] {
  return listEnds(file)
    .filter(({ cgroup }) => cgroup !== undefined)
    .map((exit) => {
      const sent = file.index
        .signalsIn(exit.boot)
        .findLast(({ pid, at }) => pid === exit.pid && isAtMost(at, exit.at, { unknown: 'does not' }));
      const what = sent === undefined ? exit.ref.text : `${exit.ref.text}; ${sent.ref.text}`;
      return { who: whoEnded(exit), what, ref: exit.ref };
    });
}

function listEnds(file: CellCase): OutsiderExited[] {
  const startedAt = Date.parse(file.record.startedAt);
  return file.index
    .of('outsider-exited')
    .filter(({ at }) => isAtLeast(at, startedAt, { unknown: 'does not' }));
}

function whoEnded({ node, comm }: OutsiderExited): string {
  return `${node ?? ''}/process/${comm}`;
}

/** What the kernel sends by itself has no sender. */
function killerOf(sent: SignalSent): Killer | undefined {
  if (sent.code === SI_KERNEL) return undefined;
  const service = SERVICES.find((name) => isService(sent, name));
  return service ?? (sent.senderPid === sent.pid ? 'self-signal' : 'external-signal');
}

/** Why nobody knows whether a process in no pod ended that had to. */
export function findUnseenKill(file: CellCase, mismatches: readonly Mismatch[]): string | undefined {
  if (!mismatches.some(({ observed }) => observed === NO_KILL || observed === NO_END)) return undefined;
  const globs = (file.record.expected.alsoDies ?? []).map(compilePathGlob);
  const homeless = listEnds(file).find(
    (exit) => exit.cgroup === undefined && globs.some((isMeant) => isMeant(whoEnded(exit))),
  );
  if (homeless !== undefined)
    return `${homeless.ref.text}, before anybody could read whether it was one of a pod (${placeOf(homeless.ref)})`;
  // It need not die while the victim lives.
  const whole = { ...file, from: Date.parse(file.record.startedAt), to: Date.parse(file.record.endedAt) };
  return describeGaps(findGaps(whole, ['trace', 'kmsg']));
}
