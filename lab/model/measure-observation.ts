import type { MeasureName } from './measure-table.ts';
import type { Base } from './observation-base.ts';

/** One run of a sampler; `at` is when it ended. */
export interface SamplerRan extends Base {
  readonly kind: 'sampler-ran';
  /** Its name, as the scenario declares it. */
  readonly sampler: string;
  readonly tookMs: number;
  /** cgroup of the victim's first process on that node (v1: of the memory controller); empty while there was none. */
  readonly cgroup: string;
  /** What it printed, in the unit of each measure. */
  readonly values: Readonly<Partial<Record<MeasureName, number>>>;
  /** Why it measured nothing: it hung, failed, or printed something else. */
  readonly problem: string | undefined;
}
