import type { RuntimeEvent, RuntimeRestarted, SignalSent } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole, type Source } from '../completeness.ts';
import { refs, type Finding, type Rule } from '../finding.ts';
import { SIGKILL } from '../signals.ts';
import { judgeForgottenSandbox } from './forgotten-sandbox.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];
/** The runtime cleans up at once; under emulation it takes some seconds. */
const CLEANUP_MS = 60_000;
/** What containerd reports of a task that it does not find again (internal/cri/server/restart.go, `unknownExitCode`). */
const UNKNOWN_EXIT = 255;

/**
 * The runtime lost the container: its shim, the parent of its first process, was killed, and containerd removes what is
 * left; or containerd itself started anew and did not find the task of the container, or of its sandbox, again.
 */
export const judgeRuntimeLost: Rule = (file) =>
  judgeShim(file) ?? judgeRestart(file) ?? judgeForgottenSandbox(file);

function judgeShim(file: CaseFile): Finding | undefined {
  const { init, killingSignal } = file;
  const endedAt = file.initExit?.at ?? file.endedAt;
  if (init === undefined || endedAt === undefined || init.ppid <= 1) return undefined;
  if (killingSignal !== undefined && killingSignal.sender !== 'runtime') return undefined;
  const before = killingSignal?.sent.at ?? endedAt;
  const shim = file.observations.find(
    (each): each is SignalSent =>
      each.kind === 'signal-sent' &&
      each.signal === SIGKILL &&
      each.pid === init.ppid &&
      each.comm.startsWith('containerd-shim') &&
      each.boot === init.boot &&
      (each.at ?? 0) <= before &&
      before - (each.at ?? 0) <= CLEANUP_MS,
  );
  if (shim === undefined) return undefined;
  const gone = file.observations.find(
    (each): each is RuntimeEvent =>
      each.kind === 'runtime-gone' && each.node === file.node && (each.at ?? 0) >= (shim.at ?? 0) - 1000,
  );
  return {
    killer: 'runtime-lost',
    how: 'shim-killed',
    confidence: gone !== undefined && isWhole(file, DECISIVE) ? 'proven' : 'likely',
    because: refs(shim.ref, gone?.ref, killingSignal?.sent.ref, file.initExit?.ref, file.end?.ref),
    at: killingSignal?.sent.at ?? endedAt,
    decisive: DECISIVE,
    ...(gone === undefined ? { note: 'containerd did not say that it lost the shim' } : {}),
  };
}

function judgeRestart(file: CaseFile): Finding | undefined {
  const { end, bootEnded } = file;
  if (end?.exitCode !== UNKNOWN_EXIT || end.reason !== 'Unknown' || bootEnded !== undefined) return undefined;
  // A node that started anew starts containerd anew: only a whole trace says that it did not.
  if (file.killingSignal !== undefined || !isWhole(file, ['trace'])) return undefined;
  const restarted = file.observations.find(
    (each): each is RuntimeRestarted =>
      each.kind === 'runtime-restarted' &&
      each.node === file.node &&
      (each.at ?? 0) >= file.from &&
      (each.at ?? 0) <= file.to + CLEANUP_MS,
  );
  if (restarted === undefined) return undefined;
  return {
    killer: 'runtime-lost',
    how: 'runtime-restarted',
    confidence: isWhole(file, [...DECISIVE, 'containerd']) ? 'proven' : 'likely',
    because: refs(restarted.ref, file.initExit?.ref, end.ref),
    at: file.initExit?.at ?? restarted.at,
    decisive: [...DECISIVE, 'containerd'],
  };
}
