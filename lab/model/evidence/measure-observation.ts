import type { Base } from './observation-base.ts';

/** A node asked the registry of the cell for something; `at` is when it did. */
export interface RegistryServed extends Base {
  readonly kind: 'registry-served';
  /** The node that asked. */
  readonly node: string;
  /** `slow`; empty for a question about none. */
  readonly repository: string;
  /** Whether it asked for content: a layer, or the configuration. */
  readonly isContent: boolean;
  /** When the answer was over, sent to its end or not. */
  readonly endedAt: number;
}

/** One run of a sampler; `at` is when it ended. */
export interface SamplerRan extends Base {
  readonly kind: 'sampler-ran';
  /** Its name, as the scenario declares it. */
  readonly sampler: string;
  readonly tookMs: number;
  /** cgroup of the victim's first process on that node (v1: of the memory controller); empty while there was none. */
  readonly cgroup: string;
  /** What it printed, in the unit of each measure. */
  readonly values: Readonly<Partial<Record<string, number>>>;
  /** Why it measured nothing: it hung, failed, or printed something else. */
  readonly problem: string | undefined;
}
