import type { EvidenceRef } from '../../../model/saved/formats.ts';
import { bootOf } from '../../case/boot-of.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { type Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { hasOutlived, NOT_FOUND } from '../../case/final-act.ts';
import { findShutdownNotice } from '../../case/requests/shutdown-notice.ts';
import { CLOCKS_MS } from '../../../model/evidence/source-clocks.ts';
import { API_MS, GOING_DOWN_MS, REACTS_MS } from '../../records/tolerances.ts';
import { isAfter, isAtMost, isBefore, isNear, isWithin, shift, spanMs } from '../../records/times.ts';

/**
 * The node went away under the container: the boot id changed, and nothing else had ended the container before. A
 * container whose end is in the trace died of that end, unless the node was going down. What systemd ends while the
 * node goes down, ends with the node. A node that did not come back was shut down.
 */
const hearReboot = (file: CaseFile): Conclusion | undefined =>
  judgeBootEnd(file) ?? judgeNewBoot(file) ?? judgeGoingDown(file) ?? judgeStoppedFirst(file);

/** Whether systemd ended it while its node went down. */
export function isOfGoingDown(file: CaseFile): boolean {
  const conclusion = hearReboot(file);
  return isBySystemd(file) && conclusion !== undefined;
}

function judgeBootEnd(file: CaseFile): Conclusion | undefined {
  const { bootEnded, killingSignal, initExit, init } = file;
  if (bootEnded?.at === undefined) return undefined;
  const bySystemd =
    isBySystemd(file) &&
    isAtMost(spanMs(killingSignal?.sent.at, bootEnded.at), GOING_DOWN_MS, { unknown: 'does not' });
  const outlived = hasOutlived(file);
  if (bySystemd && hasRunAgain(file, bootEnded.at)) return undefined;
  if (!bySystemd && !outlived && (initExit !== undefined || killingSignal !== undefined)) return undefined;
  if (!bySystemd && hadEnded(file, bootEnded.nextAt ?? bootEnded.at)) return undefined;
  // Without a record of its processes nobody can say that it was still there.
  if (init === undefined) return undefined;
  const api = findNewBoot(file, bootEnded.nextBootId);
  const panic = findPanic(file, bootEnded.at);
  const doubts = [
    ...(api === undefined ? ['only the witness saw that the boot id changed'] : []),
    ...(outlived ? ['it had been asked to stop, and was still stopping'] : []),
  ];
  return {
    killer: 'node-reboot',
    how: panic === undefined ? 'boot' : 'panic-on-oom',
    steps: {
      cause: [panic, findShutdownNotice(file, bootEnded.at)?.ref],
      signal: [killingSignal?.sent.ref ?? init.ref],
      end: [bootEnded.ref, api, file.end?.ref],
    },
    at: bySystemd ? killingSignal?.sent.at : bootEnded.at,
    decisive: ['pods', 'trace', 'kmsg'],
    doubts,
  };
}

/**
 * Judges without the witness: the Node object has another boot id, and runtime or kubelet do not find the container
 * again.
 */
function judgeNewBoot(file: CaseFile): Conclusion | undefined {
  const { end, killingSignal, initExit, first } = file;
  if (end === undefined || killingSignal !== undefined || initExit !== undefined || first !== undefined)
    return undefined;
  if (!NOT_FOUND.includes(end.reason ?? '')) return undefined;
  const nodes = file.index.of('node-seen').filter((version) => version.name === file.node);
  const before = nodes.findLast(
    (version) => isAtMost(version.at, end.at, { unknown: 'counts' }) || version.bootId === nodes[0]?.bootId,
  );
  const after = nodes.find((version) => before !== undefined && version.bootId !== before.bootId);
  const told = file.versions.find((version) => version.ref === end.ref)?.at;
  // The API had heard of the end while the node still had its boot.
  if (nodes.some((version) => version.bootId === before?.bootId && isAfter(version.at, told, SURE)))
    return undefined;
  const event = file.index.of('kube-event').find(
    (kubeEvent) =>
      kubeEvent.reason === 'Rebooted' &&
      kubeEvent.objectName === file.node &&
      isAtMost(shift(end.startedAt, -CLOCKS_MS), kubeEvent.at, {
        unknown: 'counts',
        unknownLimit: 'does not',
      }),
  );
  if (after === undefined && (event === undefined || isAfter(event.at, shift(told, API_MS), SURE)))
    return undefined;
  const panic = findPanic(file, end.at ?? file.to);
  return {
    killer: 'node-reboot',
    how: panic === undefined ? 'boot' : 'panic-on-oom',
    steps: {
      cause: [panic, findShutdownNotice(file, end.at ?? file.to)?.ref],
      end: [after?.ref, event?.ref, end.ref],
    },
    at: end.at,
    decisive: ['pods', 'trace'],
    doubts: ['nobody saw whether the container still lived when the node went away'],
  };
}

/** systemd sent the signal while the node went down, and no later boot was seen. */
function judgeGoingDown(file: CaseFile): Conclusion | undefined {
  const { killingSignal } = file;
  const at = killingSignal?.sent.at;
  if (killingSignal === undefined || !isBySystemd(file)) return undefined;
  const said = findShutdownNotice(file, at ?? file.to);
  if (said === undefined || hasRunAgain(file, said.at)) return undefined;
  return {
    killer: 'node-shutdown',
    steps: { cause: [said.ref], signal: [killingSignal.sent.ref], end: [file.initExit?.ref, file.end?.ref] },
    at,
    decisive: ['kmsg', 'trace'],
  };
}

/**
 * The runtime stopped it, nobody had asked the kubelet, and the boot ended before the kubelet reacted: a node that goes
 * down by itself may stop its pods at the runtime (machined of Talos does, after it stopped the kubelet).
 */
function judgeStoppedFirst(file: CaseFile): Conclusion | undefined {
  const { bootEnded, killingSignal, initExit, kubeletLines, requests } = file;
  if (killingSignal?.sender !== 'runtime' || requests.cause !== undefined || initExit === undefined)
    return undefined;
  const wentDownMs = spanMs(initExit.at, bootEnded?.at);
  if (bootEnded === undefined || !isWithin(wentDownMs, 0, REACTS_MS, { unknown: 'does not' }))
    return undefined;
  const hasReacted = kubeletLines.some((line) => isWithin(line.at, initExit.at, bootEnded.at, SURE));
  if (hasReacted) return undefined;
  return {
    killer: 'node-shutdown',
    steps: {
      cause: [findShutdownNotice(file, bootEnded.at ?? file.to)?.ref],
      signal: [killingSignal.sent.ref],
      end: [initExit.ref, file.end?.ref, bootEnded.ref],
    },
    at: killingSignal.sent.at,
    decisive: ['trace'],
    doubts: ['the runtime stopped it right before its node went down, and nobody said that it was for that'],
  };
}

/** Whether the node booted again before the kubelet started the container again, as the API tells. */
export function hasGoneDown(file: CaseFile): boolean {
  const nodes = file.index.of('node-seen').filter((version) => version.name === file.node);
  const next = nodes.find((version) => version.bootId !== '' && version.bootId !== nodes[0]?.bootId);
  return next !== undefined && isAfter(next.at, file.end?.at, SURE) && !hasRunAgain(file, next.at);
}

/** Whether the kubelet started the container again before that: the node was not going down yet. */
function hasRunAgain({ versions, pod, record, containerId }: CaseFile, before: number | undefined): boolean {
  return versions.some(
    (version) =>
      version.uid === pod.uid &&
      isBefore(version.at, before, SURE) &&
      version.containers.some(
        (view) =>
          view.name === record.victim.container &&
          view.state === 'running' &&
          view.id !== '' &&
          view.id !== containerId,
      ),
  );
}

const SURE = { unknown: 'does not' } as const;

/** systemd ends what is left when the node goes down (src/shutdown/shutdown.c). */
function isBySystemd({ killingSignal }: CaseFile): boolean {
  return killingSignal?.hitInit === true && killingSignal.sender === 'systemd';
}

/** Whether somebody saw it end before the next boot. */
function hadEnded({ end }: CaseFile, nextBootAt: number): boolean {
  return end?.at !== undefined && !NOT_FOUND.includes(end.reason ?? '') && end.at < nextBootAt;
}

/** Where the kubelet reports the other boot id: in the Node object, else in its event (nodestatus/setters.go). */
function findNewBoot(file: CaseFile, bootId: string): EvidenceRef | undefined {
  const seen = file.index
    .of('node-seen')
    .find((version) => version.name === file.node && version.bootId === bootId);
  const event = file.index
    .of('kube-event')
    .find(
      (kubeEvent) =>
        kubeEvent.reason === 'Rebooted' &&
        kubeEvent.objectName === file.node &&
        kubeEvent.message.includes(bootId),
    );
  return seen?.ref ?? event?.ref;
}

/** A panic ended its own boot, and no container of another one. */
function findPanic(file: CaseFile, endedAt: number): EvidenceRef | undefined {
  const boot = bootOf(file);
  return file.index
    .of('kernel-said')
    .find(
      (line) =>
        line.about === 'panic-on-oom' &&
        line.node === file.node &&
        line.boot === boot &&
        !isBefore(line.at, shift(file.end?.startedAt, -API_MS), SURE) &&
        isNear(line.at, endedAt, GOING_DOWN_MS, { unknown: 'counts' }),
    )?.ref;
}

/** Its node went away, or went down. */
export const NODE_GONE: Hypothesis = {
  what: 'the end of its node',
  killers: ['node-reboot', 'node-shutdown'],
  acts: ['node-gone', 'systemd', 'runtime'],
  left: {
    sources: [['trace'], ['nodes']],
    by: 'its node kept its boot',
    wanted: 'the boot id of its node before and after the end',
    isSeen: (file) => file.bootEnded !== undefined,
    records: (file) => [file.bootEnded?.ref],
  },
  hear: hearReboot,
};
