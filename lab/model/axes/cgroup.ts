import type { AxisDefinition, Declared, ReadValue } from '../variants/axis.ts';
import { UsageError } from '../errors/errors.ts';
import { compareAsWritten } from '../variants/versions.ts';
import { knobs } from './knobs.ts';
import { kubernetes } from './kubernetes.ts';

/** The cgroup hierarchy that a node boots with. */
export type CgroupVersion = 'v1' | 'v2';

export const cgroup: AxisDefinition<'cgroup', CgroupVersion, 'oomTakes'> = {
  name: 'cgroup',
  defaultValue: 'v2',
  parse: (written) => {
    if (written === 'v1' || written === 'v2') return written;
    throw new UsageError(`"${written}" is not a cgroup hierarchy`, { tryNext: 'v1 or v2' });
  },
  facts: {
    /** What an OOM kill at the limit of a container takes: one `process`, or all of the `container`. */
    oomTakes: findOomVictims,
  },
};

/**
 * From 1.28 on the kubelet sets `memory.oom.group` of every container on cgroup v2 (kubernetes/kubernetes#117793), unless
 * `singleProcessOOMKill` tells it not to. cgroup v1 knows nothing of the kind.
 */
function findOomVictims(read: ReadValue, declared: Declared): 'process' | 'container' {
  const isAsked = declared.knobs?.[read(knobs)]?.kubelet?.['singleProcessOOMKill'] === true;
  const isGrouped = read(cgroup) === 'v2' && compareAsWritten(read(kubernetes).release, '1.28') >= 0;
  return isGrouped && !isAsked ? 'container' : 'process';
}
