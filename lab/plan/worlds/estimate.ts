import { z } from 'zod';
import { groupBy } from '../../model/text/group-by.ts';
import type { WorldWay } from './plan-worlds.ts';
import { catalogueName } from '../../model/components/under-test.ts';
import type { Outcome, Scenario } from '../../model/declared/scenario.ts';
import { countTries } from '../../model/declared/tries.ts';
import type { UpStep, UpWay } from '../../model/saved/up-plan.ts';

/** Steps on the way to a world whose times are kept: what they make is in the cache afterwards. */
const SUPPLY_KINDS = ['component', 'provider', 'root file system', 'kernel', 'image'] as const;

/**
 * One line of `timings.jsonl`: what a world built from its image or derived from another one, or a lane that was forked from
 * it (named by their variant), one run of a cell (named by its scenario) or something that is in the cache since (named by `timedAs`) took.
 */
const pastTimingSchema = z.object({
  kind: z.enum(['world', 'derived world', 'lane', 'cell', ...SUPPLY_KINDS]),
  name: z.string(),
  seconds: z.number().nonnegative(),
});

/** How long something took in an earlier run. */
export type PastTiming = z.infer<typeof pastTimingSchema>;

/** An estimate in whole seconds, and whether it is made of earlier runs of this user. */
interface Estimate {
  readonly seconds: number;
  readonly fromPast: boolean;
}

/** Estimates from past runs. Built once for a plan, asked for each world and cell. */
export interface Estimator {
  /** Bringing a world up: the median of its last runs, else of those of any world that came up this way, else a default. */
  world(name: string, way: WorldWay): Estimate;
  /** Forking the lanes of a world, all of them beside each other: the median of the last forks, else a default. */
  fork(): Estimate;
  /** A step on the way to a world, if it has something to do: the median of its last times, else a default. */
  step(step: Pick<UpStep, 'kind' | 'name' | 'version' | 'sources'>, way: UpWay): Estimate;
  /**
   * Running a cell as often as its scenario says: each time the median of the scenario's last runs, else what its bug
   * expects, else half of the time its death may take.
   *
   * @param expectSeconds of the bug that the scenario tells apart.
   */
  cell(
    scenario: Pick<Scenario, 'name' | 'repeat' | 'tries'>,
    outcome: Outcome,
    expectSeconds?: number,
  ): Estimate;
}

/** Bringing a world up from a baked image, seconds: boot and `kubeadm init` under emulation. */
const DEFAULT_WORLD_SECONDS = 110;
/** Deriving a world from a saved one, seconds. */
const DEFAULT_DERIVED_SECONDS = 50;
/** Forking lanes from a saved world, all of them beside each other, seconds: emulated, on two cores, two took 50 to 60. */
const DEFAULT_FORK_SECONDS = 55;
/** Bringing a saved world back, seconds. */
export const RESTORE_SECONDS = 10;
/** Restore, health gate, deployment and collection around what a scenario itself takes, seconds. */
const CELL_OVERHEAD_SECONDS = 20;
const KEPT_RUNS = 5;

/**
 * Programs that take longer than others to build from their Go modules, two at a time on two cores, seconds
 * (docs/measured/benchmarks.md, "The first `up`").
 */
const LONG_BUILDS: Readonly<Record<string, number>> = {
  kubernetes: 460,
  coredns: 170,
  crictl: 100,
  etcd: 70,
};
/** Any other one, seconds. */
const BUILD_SECONDS = 15;
/** Downloading and unpacking a release or a package, seconds. */
const DOWNLOAD_SECONDS = 20;
/** Everything else, seconds; the provider when its registry does not answer and it is built. */
const STEP_SECONDS = { provider: 30, 'root file system': 35, kernel: 15, 'old world': 5, image: 30 } as const;

/**
 * The name by which the time of a step is kept: another version of a component takes another time, and where a node has it
 * makes no difference.
 */
function timedAs({ name, version }: Pick<UpStep, 'name' | 'version'>): string {
  return `${catalogueName(name)} ${version}`.trim();
}

/** The time of a step as it is kept; undefined for a world, which keeps its own, and for what comes never again. */
export function supplyTiming(
  step: Pick<UpStep, 'kind' | 'name' | 'version'>,
  seconds: number,
): PastTiming | undefined {
  const kind = SUPPLY_KINDS.find((supply) => supply === step.kind);
  return kind === undefined ? undefined : { kind, name: timedAs(step), seconds };
}

/** A component is taken to come from its last source: which of them answers is not known before it is asked. */
function defaultSeconds({ kind, name, sources }: Pick<UpStep, 'kind' | 'name' | 'sources'>): number {
  if (kind === 'world') return DEFAULT_WORLD_SECONDS;
  if (kind !== 'component') return STEP_SECONDS[kind];
  const isBuilt = sources.some((source) => source === 'gomod' || source === 'local');
  return isBuilt ? (LONG_BUILDS[name] ?? BUILD_SECONDS) : DOWNLOAD_SECONDS;
}

/** Reads past timings. A line that a crash has cut short is skipped. */
export function parsePastTimings(lines: readonly string[]): PastTiming[] {
  return lines.flatMap((line) => {
    try {
      const parsed = pastTimingSchema.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return []; // not JSON: cut short by a crash
    }
  });
}

/** Builds the estimates of past timings. */
export function createEstimator(timings: readonly PastTiming[]): Estimator {
  const ofName = groupBy(timings, ({ kind, name }) => `${kind} ${name}`);
  const ofKind = groupBy(timings, ({ kind }) => kind);
  const estimateOf = (past: readonly PastTiming[] | undefined, fallback: number, times = 1): Estimate => {
    const median = findMedian((past ?? []).slice(-KEPT_RUNS).map(({ seconds }) => seconds));
    return { seconds: Math.round((median ?? fallback) * times), fromPast: median !== undefined };
  };
  const estimate = (key: string, fallback: number, times?: number): Estimate =>
    estimateOf(ofName.get(key), fallback, times);
  // A world that never was takes what others took: they tell how fast this host is.
  const estimateWorld = (kind: PastTiming['kind'], name: string, fallback: number): Estimate =>
    estimateOf(ofName.get(`${kind} ${name}`) ?? ofKind.get(kind), fallback);
  const world: Estimator['world'] = (name, way) => {
    if (way === 'restored') return { seconds: RESTORE_SECONDS, fromPast: false };
    if (way === 'derived') return estimateWorld('derived world', name, DEFAULT_DERIVED_SECONDS);
    return estimateWorld('world', name, DEFAULT_WORLD_SECONDS);
  };
  return {
    world,
    fork: () => estimateOf(ofKind.get('lane'), DEFAULT_FORK_SECONDS),
    step: (step, way) =>
      step.kind === 'world'
        ? world(step.name, way === 'open' ? 'built' : way)
        : estimate(`${step.kind} ${timedAs(step)}`, defaultSeconds(step)),
    cell: ({ name, repeat, tries }, outcome, expectSeconds) =>
      estimate(
        `cell ${name}`,
        expectSeconds ??
          CELL_OVERHEAD_SECONDS +
            (outcome.survivesSeconds ??
              ((outcome.withinSeconds ?? 60) / 2) * (tries === undefined ? 1 : countTries(tries))),
        repeat,
      ),
  };
}

function findMedian(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** How far a run has come. */
export interface RunPace {
  /** What the estimates of the whole plan come to. */
  readonly totalSeconds: number;
  /** What those of its finished part come to. */
  readonly doneSeconds: number;
  /** What that part took. */
  readonly elapsedSeconds: number;
}

/** Estimated seconds after which the pace of a run counts as much as the estimates themselves. */
const PACE_WEIGHT_SECONDS = 120;

/**
 * Estimates what is left of a run when part of it has just ended, in seconds: the estimates of the rest, at the pace so
 * far. That tells how many worlds run at once, and how fast this host is. Early on the pace counts little.
 */
export function estimateRest({ totalSeconds, doneSeconds, elapsedSeconds }: RunPace): number {
  const pace = (elapsedSeconds + PACE_WEIGHT_SECONDS) / (doneSeconds + PACE_WEIGHT_SECONDS);
  return Math.max(0, totalSeconds - doneSeconds) * pace;
}
