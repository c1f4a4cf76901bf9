import type { AxisDefinition } from '../variants/axis.ts';
import { UsageError } from '../errors/errors.ts';

/** The cgroup hierarchy that a node boots with. */
export type CgroupVersion = 'v1' | 'v2';

export const cgroup: AxisDefinition<'cgroup', CgroupVersion> = {
  name: 'cgroup',
  defaultValue: 'v2',
  parse: (written) => {
    if (written === 'v1' || written === 'v2') return written;
    throw new UsageError(`"${written}" is not a cgroup hierarchy`, { tryNext: 'v1 or v2' });
  },
  facts: {},
};
