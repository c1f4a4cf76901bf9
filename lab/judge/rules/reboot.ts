import type { EvidenceRef } from '../../model/formats.ts';
import type { KernelSaid, KubeEvent, NodeSeen, SystemSaid } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { refs, type Rule } from '../finding.ts';
import { SIGKILL } from '../signals.ts';

/** systemd ends what is left when the node goes down (src/shutdown/shutdown.c); stopping all units takes this long. */
const GOING_DOWN_MS = 180_000;
const SYSTEMD = 1;

/**
 * The node started anew under the container: the boot id changed, and until then nobody else had ended it. A container
 * that had its end in the trace before, other than by the node going down, died of that.
 */
export const judgeReboot: Rule = (file) => {
  const { bootEnded, killingSignal, initExit, init } = file;
  if (bootEnded?.at === undefined) return undefined;
  const bySystemd =
    killingSignal?.sent.senderPid === SYSTEMD && bootEnded.at - (killingSignal.sent.at ?? 0) <= GOING_DOWN_MS;
  const outlived = hasOutlived(file, bootEnded.at);
  if (!bySystemd && !outlived && (initExit !== undefined || killingSignal !== undefined)) return undefined;
  if (!bySystemd && hadEnded(file, bootEnded.nextAt ?? bootEnded.at)) return undefined;
  // Without its processes nobody can say that it was still there.
  if (init === undefined) return undefined;
  const api = findNewBoot(file, bootEnded.nextBootId);
  const panic = findPanic(file, bootEnded.at);
  return {
    killer: 'node-reboot',
    how: panic === undefined ? 'boot' : 'panic-on-oom',
    confidence: api === undefined || outlived ? 'likely' : 'proven',
    because: refs(
      ...[panic, findShutdown(file, bootEnded.at), killingSignal?.sent.ref ?? init.ref],
      ...[bootEnded.ref, api, file.end?.ref],
    ),
    at: bySystemd ? killingSignal.sent.at : bootEnded.at,
    decisive: ['pods', 'trace'],
    ...(api === undefined ? { note: 'only the witness saw that the boot id changed' } : {}),
    ...(outlived ? { note: 'it had been asked to stop, and was still stopping' } : {}),
  };
};

/** Reasons that runtime and kubelet give to a container that they do not find again. */
const NOT_FOUND = ['Unknown', 'ContainerStatusUnknown'];
/** A program without a handler ends at once; whoever lives on for so long is stopping in its own time. */
const STILL_STOPPING_MS = 2000;
/**
 * It was asked to stop, and nobody saw it end: neither the trace, in which every end stands, nor the runtime, which does
 * not find it again after the boot.
 */
function hasOutlived({ killingSignal, initExit, end }: CaseFile, bootEndedAt: number): boolean {
  return (
    killingSignal !== undefined &&
    killingSignal.sent.signal !== SIGKILL &&
    initExit === undefined &&
    NOT_FOUND.includes(end?.reason ?? '') &&
    bootEndedAt - (killingSignal.sent.at ?? Infinity) >= STILL_STOPPING_MS
  );
}

/** Somebody saw it end before the next boot: what a boot ends, nobody is left to see. */
function hadEnded({ end }: CaseFile, nextBootAt: number): boolean {
  return end?.at !== undefined && !NOT_FOUND.includes(end.reason ?? '') && end.at < nextBootAt;
}

/** The kubelet found another boot id too: in the Node object, or in its event (nodestatus/setters.go). */
function findNewBoot(file: CaseFile, bootId: string): EvidenceRef | undefined {
  const seen = file.observations.find(
    (each): each is NodeSeen =>
      each.kind === 'node-seen' && each.name === file.node && each.bootId === bootId,
  );
  const event = file.observations.find(
    (each): each is KubeEvent =>
      each.kind === 'kube-event' &&
      each.reason === 'Rebooted' &&
      each.objectName === file.node &&
      each.message.includes(bootId),
  );
  return seen?.ref ?? event?.ref;
}

function findShutdown(file: CaseFile, endedAt: number): EvidenceRef | undefined {
  return file.observations.find(
    (each): each is SystemSaid =>
      each.kind === 'system-said' &&
      each.about === 'shutdown' &&
      each.node === file.node &&
      Math.abs(endedAt - (each.at ?? 0)) <= GOING_DOWN_MS,
  )?.ref;
}

function findPanic(file: CaseFile, endedAt: number): EvidenceRef | undefined {
  return file.observations.find(
    (each): each is KernelSaid =>
      each.kind === 'kernel-said' &&
      each.about === 'panic-on-oom' &&
      each.node === file.node &&
      Math.abs(endedAt - (each.at ?? 0)) <= GOING_DOWN_MS,
  )?.ref;
}
