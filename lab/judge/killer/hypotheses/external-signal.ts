import { isOfContainer, isOfPods, levelOf } from '../../../model/evidence/cgroup-path.ts';
import type { SystemSaid } from '../../../model/evidence/observation.ts';
import type { How } from '../../../model/killers/killers.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { isWhole } from '../../case/coverage.ts';
import { isInPod } from '../../case/senders.ts';
import { coverageOf } from '../../records/evidence-index.ts';
import { blame, findOwnStimulus } from '../blame.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { isOfGoingDown } from './reboot.ts';
import { STRANGE_SIGNAL } from '../traces.ts';
import { endRefs, type Conclusion } from '../conclusion.ts';
import { isAtLeast, isNear } from '../../records/times.ts';
import { SAID_MS } from '../../records/tolerances.ts';

/** A process outside the container that is not the runtime. */
const hearExternalSignal = (file: CaseFile): Conclusion | undefined => {
  const sender = file.killingSignal?.sender;
  const talos = sender === undefined ? findTalosKill(file) : undefined;
  if (talos !== undefined) return leaveTalos(file, talos);
  if (sender !== 'outside' && sender !== 'systemd') return undefined;
  // It ends what is left when the node goes down: who sees the node no more cannot say that it did not.
  if (sender === 'systemd' && !isWhole(file, ['trace'])) return undefined;
  if (sender === 'systemd' && !(isWhole(file, ['system']) && isSystemHeard(file))) return leaveSystemd(file);
  const cgroup = file.killingSignal?.sent.senderCgroup;
  const conclusion = blame(file, 'external-signal');
  if (conclusion === undefined) return undefined;
  // Our own shell on the node sent it, and the lab wrote its pid down.
  const isOwn = findOwnStimulus(file) !== undefined;
  if (cgroup !== undefined || sender === 'systemd' || isOwn)
    return { ...conclusion, how: howFrom(file, cgroup ?? '') };
  return {
    ...conclusion,
    doubts: [...(conclusion.doubts ?? []), 'the cgroup of the sender could not be read'],
  };
};

/**
 * Whether systemd would have said that the node goes down, or did not go down: it would have ended the pause of the pod as
 * well. Neither a soft reboot nor the reboot of a node that is a container shows in a boot id.
 */
function isSystemHeard({ index, node, killingSignal, sandbox }: CaseFile): boolean {
  const isNested = killingSignal?.sent.senderPid !== 1;
  const livesOn = sandbox !== undefined && sandbox.exit === undefined && sandbox.killingSignal === undefined;
  if (livesOn && !isNested) return true;
  return coverageOf(index, 'system', node).some(({ to }) =>
    isAtLeast(to, killingSignal?.sent.at, { unknown: 'does not' }),
  );
}

function howFrom(file: CaseFile, cgroup: string): How {
  if (isOfPods(cgroup, file.uids)) return 'from-same-pod';
  return isInPod(cgroup) ? 'from-another-pod' : 'from-node';
}

/** It ends what is left when the node goes down, and its journal, which would tell, was not heard. */
function leaveSystemd(file: CaseFile): Conclusion {
  const note = 'systemd signalled it: somebody had asked systemd, or the node went down';
  return {
    killer: 'unknown',
    steps: { signal: [file.killingSignal?.sent.ref], end: endRefs(file) },
    at: file.killingSignal?.sent.at,
    decisive: ['system'],
    note,
    open: [{ what: 'the end of its node', why: note, wanted: 'the journal of systemd' }],
  };
}

/** The line of Talos that its OOM controller kills this container or its pod, where nobody traced signals and the kernel did not. */
function findTalosKill({ index, node, uids, containerId, end, oom }: CaseFile): SystemSaid | undefined {
  if (oom.ended !== undefined) return undefined;
  return index
    .of('system-said')
    .find(
      ({ by, about, at, cgroup = '', node: of }) =>
        by === 'talos' &&
        about === 'kill' &&
        of === node &&
        isOfPods(cgroup, uids) &&
        (levelOf(cgroup) !== 'container' || isOfContainer(cgroup, containerId)) &&
        isNear(at, end?.at, SAID_MS, { unknown: 'counts' }),
    );
}

/** Nobody saw that this signal ended it: the controller kills again and again, also what has ended. */
function leaveTalos(file: CaseFile, line: SystemSaid): Conclusion {
  const note =
    'the OOM controller of Talos says that it sends SIGKILL to its cgroup, and nobody traced the signal';
  return {
    killer: 'unknown',
    steps: { cause: [line.ref], end: endRefs(file) },
    at: line.at,
    decisive: ['trace'],
    note,
    open: [
      {
        what: 'a kill by the OOM controller of Talos',
        why: note,
        wanted: 'what the OOM controller of Talos says that it has killed',
      },
    ],
  };
}

/** Somebody on the node or in another container. */
export const EXTERNAL_SIGNAL: Hypothesis = {
  what: 'a signal from outside',
  killers: ['external-signal'],
  acts: ['outside', 'systemd', 'itself'],
  left: STRANGE_SIGNAL,
  against: (file) => (isOfGoingDown(file) ? 'systemd signalled it because its node went down' : undefined),
  recordsAgainst: ({ killingSignal, bootEnded }) => [killingSignal?.sent.ref, bootEnded?.ref],
  hear: hearExternalSignal,
};
