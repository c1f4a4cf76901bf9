import type { How, VictimProcess } from '../../model/killers.ts';
import type { SignalSent } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole, type Source } from '../completeness.ts';
import { refs, type Finding, type Rule } from '../finding.ts';
import type { OomEvidence } from '../oom-evidence.ts';
import { SIGKILL } from '../signals.ts';

/**
 * The kernel's OOM killer. The kernel line names the process, the counter of the container's cgroup counts it: two
 * sources that do not know of each other. Where that counter was gone before it could be read (cgroup v1), the trace
 * is the second one. Exit code 137 and the reason OOMKilled are no proof of anything.
 */
export const judgeOom: Rule = (file) => {
  const { kills, kill, context, counter, group, mark, level } = file.oom;
  if (kill === undefined && counter === undefined) return undefined;
  const byHand = context?.byHand ?? [];
  const sent = findKernelsKill(file);
  const second = counter?.values.ref ?? sent?.ref;
  const because = refs(kill?.ref, context?.ref, ...byHand, second, group?.ref, mark?.ref, file.end?.ref);
  const at = kills[0]?.at ?? counter?.values.at;
  if (kill === undefined) return judgeCounterAlone(file, because, at);
  const isGlobal = kill.scope === 'global' || context?.global === true;
  const decisive: readonly Source[] = sent === undefined ? ['kmsg', 'cgroup'] : ['kmsg', 'trace'];
  const proven = second !== undefined && isWhole(file, decisive);
  return {
    killer: isGlobal ? 'global-oom' : 'memcg-oom',
    level: isGlobal ? 'node' : level,
    how: howOf(file.oom),
    process: processOf(file, kill.pid),
    confidence: proven ? 'proven' : 'likely',
    because,
    pid: kill,
    at,
    decisive,
    ...(second === undefined ? { note: 'no counter of the container or its pod was seen to rise' } : {}),
  };
};

/** The kernel's own SIGKILL to the process that its line names, where the counter went with its cgroup. */
function findKernelsKill({ oom, killingSignal }: CaseFile): SignalSent | undefined {
  if (oom.counter !== undefined || !oom.counterWent || killingSignal?.sender !== 'kernel') return undefined;
  const { sent } = killingSignal;
  return sent.signal === SIGKILL && sent.pid === oom.kill?.pid ? sent : undefined;
}

/** That somebody asked says more than how many died: the node need not have been short of memory at all. */
function howOf({ context, group }: OomEvidence): How {
  if (context?.byHand !== undefined) return 'sysrq';
  return group === undefined ? 'single-process' : 'group-kill';
}

/** The first process ends the container with it; the end of another one may go unnoticed. */
function processOf(file: CaseFile, pid: number): VictimProcess | undefined {
  if (file.init === undefined) return undefined;
  return pid === file.init.pid ? 'init' : 'child';
}

/** A counter counts every kind of OOM kill; only a limit that was hit in the pod's hierarchy makes it memcg-oom. */
function judgeCounterAlone(
  file: Parameters<Rule>[0],
  because: Finding['because'],
  at: number | undefined,
): Finding {
  const { level } = file.oom;
  const note = 'the kernel line that names the killed process is missing';
  const base = { because, at, decisive: ['kmsg', 'cgroup'] as const, note };
  return level === undefined
    ? { ...base, killer: 'unknown', confidence: 'none' }
    : { ...base, killer: 'memcg-oom', level, confidence: 'likely' };
}
