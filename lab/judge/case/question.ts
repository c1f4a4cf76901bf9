import { valueOf } from '../../model/axes/axes.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';

/**
 * What a case is opened for. A cell of the lab is one: its record has all of it. A death that the lab did not stage is
 * the other: it has no expectation.
 */
export interface Question {
  readonly victim: {
    /** Name of the container; empty where nobody knows it. */
    readonly container: string;
  };
  /** The time that is looked at; ISO 8601, UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** The nodes that were watched; undefined where the input itself tells. */
  readonly nodes?: readonly string[];
  /** What a scenario promises of the victim. */
  readonly expected?: Pick<
    CellRecord['expected'],
    'survivesSeconds' | 'withinSeconds' | 'exceedsLimit' | 'survives'
  >;
}

/** What must be known of the cluster to read its records. */
export interface ClusterFacts {
  /** Whether all containers of the pod live in one sandbox, so that the host sees only the processes of the sandbox. */
  readonly sandboxed: boolean;
  /** Release of Kubernetes: `1.34`; undefined where nobody says. */
  readonly release: string | undefined;
}

/** The facts of the cluster that a cell was run in: its variant says them. */
export function factsOfVariant(variant: CellRecord['variant']): ClusterFacts {
  return {
    sandboxed: valueOf(variant, 'runtime').name === 'runsc',
    release: valueOf(variant, 'kubernetes').release,
  };
}
