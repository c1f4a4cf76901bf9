import type { Attribution, Finding } from '../model/formats.ts';
import type { CaseFile } from './case-file.ts';
import { becauseOf, type Conclusion } from './conclusion.ts';
import { isWhole } from './coverage.ts';

/** Sources that report for the same observer do not confirm each other. */
const OBSERVERS: Readonly<Record<string, string>> = {
  kmsg: 'kernel log',
  cgroup: 'cgroups',
  trace: 'trace',
  containerd: 'runtime',
  tasks: 'runtime',
  cri: 'runtime',
  kubelet: 'kubelet',
  event: 'kubelet',
  pod: 'api',
  node: 'api',
  witness: 'trace',
  system: 'system',
  stimulus: 'lab',
};
/** Fewer observers than this are one word against none. */
const INDEPENDENT = 2;

/**
 * How sure a conclusion is, for every killer alike. `proven`: the rule lacks nothing, its decisive sources are whole over
 * the life of the victim, two observers that do not know of each other agree, and nothing hostile is left unexplained.
 */
export function confidenceIn(
  file: CaseFile,
  conclusion: Conclusion,
  findings: readonly Finding[],
): Attribution['confidence'] {
  if (conclusion.killer === 'unknown') return 'none';
  if ((conclusion.lacks ?? []).length > 0) return 'likely';
  if (!isWhole(file, conclusion.decisive)) return 'likely';
  const observers = new Set(becauseOf(conclusion).map((each) => OBSERVERS[each.source] ?? each.source));
  if (observers.size < INDEPENDENT) return 'likely';
  return findings.some((each) => !each.explained) ? 'likely' : 'proven';
}
