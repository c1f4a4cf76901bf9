import type { EvidenceRef } from '../../model/formats.ts';
import type { How, Killer } from '../../model/killers.ts';
import type { StimulusDone, SystemSaid } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole, type Source } from '../completeness.ts';
import { refs, type Finding, type Rule } from '../finding.ts';
import { isOfPod } from '../levels.ts';
import { findStopBefore } from '../kubelet-stop.ts';
import { isStopping } from '../signals.ts';

/** To blame a signal, it must be certain that the OOM killer was not there first. */
const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];
/** A service writes about its kill right before or after it. */
const SAID_MS = 10_000;

/** A process outside the container that is not the runtime. */
export const judgeExternalSignal: Rule = (file) => {
  const sender = file.killingSignal?.sender;
  if (sender === 'systemd-oomd' || sender === 'earlyoom') return blameService(file, sender);
  if (sender !== 'outside') return undefined;
  const cgroup = file.killingSignal?.sent.senderCgroup;
  const finding = blame(file, 'external-signal');
  if (finding === undefined) return undefined;
  if (cgroup !== undefined) return { ...finding, how: howFrom(file, cgroup) };
  return { ...finding, confidence: 'likely', note: 'the cgroup of the sender could not be read' };
};

/** A process of the container: a fault, abort(), or kill from inside. */
export const judgeSelfSignal: Rule = (file) => {
  if (file.killingSignal?.sender !== 'container') return undefined;
  const { sent } = file.killingSignal;
  // It may only have passed on what somebody else had sent, in a record that is lost.
  if (isStopping(sent.signal) && !isWhole(file, ['trace'])) return undefined;
  const doubt = isStopping(sent.signal) ? findDoubt(file, sent.at) : undefined;
  if (doubt !== undefined) return doubt;
  return blame(file, 'self-signal');
};

/** The kubelet had meant to stop the container, and it ended without the runtime. */
const MAY_BE_HOOK =
  'the kubelet meant to stop it, and it ended before the runtime sent a signal: by its preStop hook, or by itself';
/** Programs take as long as they like. */
const MAY_BE_ANSWER =
  'somebody outside had asked it to stop, and it ended later with a code of its own: because of that, or by itself';

/** Why nobody can say that a container ended by itself, when it seems so. */
export function findDoubt(file: CaseFile, endedAt: number | undefined): Finding | undefined {
  const stop = findStopBefore(file, endedAt);
  if (stop !== undefined) return leaveOpen(file, stop.ref, MAY_BE_HOOK);
  return file.stopRequest && leaveOpen(file, file.stopRequest.ref, MAY_BE_ANSWER);
}

function leaveOpen(file: CaseFile, asked: EvidenceRef, note: string): Finding {
  const { end, initExit, killingSignal } = file;
  return {
    killer: 'unknown',
    confidence: 'none',
    because: refs(asked, killingSignal?.sent.ref, initExit?.ref, end?.ref),
    at: killingSignal?.sent.at ?? initExit?.at ?? end?.at,
    decisive: DECISIVE,
    note,
  };
}

function howFrom(file: CaseFile, cgroup: string): How {
  if (isOfPod(cgroup, file.pod.uid)) return 'from-same-pod';
  return /kubepods/.test(cgroup) ? 'from-another-pod' : 'from-node';
}

/** A service that watches the node's memory: its own words about this process or cgroup go with the signal. */
function blameService(file: CaseFile, service: 'systemd-oomd' | 'earlyoom'): Finding | undefined {
  const finding = blame(file, service);
  const sent = file.killingSignal?.sent;
  if (finding === undefined || sent === undefined) return finding;
  const said = file.observations.find(
    (each): each is SystemSaid =>
      each.kind === 'system-said' &&
      each.about === 'kill' &&
      each.by === service &&
      each.node === file.node &&
      (each.pid === sent.pid || isAbove(each.cgroup, file.init?.cgroup)) &&
      Math.abs((each.at ?? 0) - (sent.at ?? 0)) <= SAID_MS,
  );
  // A name alone can be borrowed; the cgroup of the service, or its own log, cannot.
  const known = said !== undefined || sent.senderCgroup !== undefined;
  return {
    ...finding,
    because: refs(said?.ref, ...finding.because),
    ...(known ? {} : { confidence: 'likely' as const, note: `only the name of the sender says ${service}` }),
  };
}

function isAbove(cgroup: string | undefined, below: string | undefined): boolean {
  return cgroup !== undefined && below !== undefined && `${below}/`.startsWith(`${cgroup}/`);
}

/** Our own record of having sent it, when it names the same sender and target. */
function findOwnStimulus(file: CaseFile): StimulusDone | undefined {
  const sent = file.killingSignal?.sent;
  return file.observations.find(
    (each): each is StimulusDone =>
      each.kind === 'stimulus' &&
      each.node === file.node &&
      each.senderPid === sent?.senderPid &&
      each.pid === sent?.pid,
  );
}

function blame(file: CaseFile, killer: Killer): Finding | undefined {
  const { killingSignal, end, initExit } = file;
  if (killingSignal === undefined) return undefined;
  const { sent, hitInit } = killingSignal;
  const fits = hitInit && end?.exitCode === 128 + sent.signal;
  return {
    killer,
    confidence: fits && isWhole(file, DECISIVE) ? 'proven' : 'likely',
    because: refs(sent.ref, findOwnStimulus(file)?.ref, initExit?.ref, end?.ref),
    ...(hitInit ? {} : { pid: sent }),
    process: hitInit ? 'init' : 'child',
    at: sent.at,
    decisive: DECISIVE,
  };
}
