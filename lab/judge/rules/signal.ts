import type { Killer } from '../../model/killers.ts';
import type { StimulusDone } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole, type Source } from '../completeness.ts';
import { refs, type Finding, type Rule } from '../finding.ts';

/** To blame a signal, it must be certain that the OOM killer was not there first. */
const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];
const SIGSYS = 31;

/** A process outside the container that is not the runtime. */
export const judgeExternalSignal: Rule = (file) => {
  const sender = file.killingSignal?.sender;
  if (sender === 'systemd-oomd' || sender === 'earlyoom') return blame(file, sender);
  if (sender !== 'outside') return undefined;
  const known = file.killingSignal?.sent.senderCgroup !== undefined;
  const finding = blame(file, 'external-signal');
  if (known || finding === undefined) return finding;
  return { ...finding, confidence: 'likely', note: 'the cgroup of the sender could not be read' };
};

/** A process of the container: a fault, abort(), or kill from inside. */
export const judgeSelfSignal: Rule = (file) => {
  const signal = file.killingSignal;
  if (signal?.sender !== 'container') return undefined;
  const seccomp = signal.sent.signal === SIGSYS && signal.sent.code > 0;
  return blame(file, seccomp ? 'seccomp' : 'self-signal');
};

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
    at: sent.at,
    decisive: DECISIVE,
  };
}
