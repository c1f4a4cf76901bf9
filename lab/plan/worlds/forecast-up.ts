import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { forecastGraph, type Lanes } from '../../model/work/task-graph.ts';
import {
  isRun,
  type UpPlanResult,
  type UpPlanStep,
  type UpStep,
  type UpWay,
} from '../../model/saved/up-plan.ts';
import { createEstimator, type PastTiming } from './estimate.ts';

/** What a plan says of a world, as far as it is shown to a reader. */
export interface PlannedUp {
  /** Canonical name of the variant. */
  readonly world: string;
  readonly way: UpWay;
  readonly parent?: string;
  readonly why: string;
  readonly steps: readonly UpStep[];
}

/**
 * Adds to a plan what each step is estimated to take and when it would begin, by the rule of `runGraph`. Steps that nothing
 * needs are not in the way of others; those that are open are taken to be needed. Pure.
 */
export function forecastUp(
  { world, way, parent, why, steps }: PlannedUp,
  lanes: Lanes,
  timings: readonly PastTiming[],
): UpPlanResult {
  const estimator = createEstimator(timings);
  const estimateOf = (step: UpStep): { seconds: number; fromPast: boolean } =>
    step.state === 'to do' || step.state === 'open'
      ? estimator.step(step, way)
      : { seconds: 0, fromPast: false };
  const done = steps.filter((step) => isRun(step) || step.state === 'open');
  const times = forecastGraph(done, lanes, (step) => estimateOf(step).seconds);
  const planned = steps.map((step): UpPlanStep => {
    const { id, kind, name, version, state, lane } = step;
    const { seconds, fromPast } = estimateOf(step);
    return {
      id,
      kind,
      name,
      version,
      state,
      why: step.why,
      sources: [...step.sources],
      needs: [...step.needs],
      ...(lane === undefined ? {} : { lane }),
      estimateSeconds: seconds,
      estimatedFrom: fromPast ? 'past-runs' : 'defaults',
      beginsAfterSeconds: times.get(id)?.begins ?? 0,
    };
  });
  const count = (state: UpPlanStep['state']): number => planned.filter((step) => step.state === state).length;
  return {
    formatVersion: FORMAT_VERSION,
    world,
    way,
    why,
    lanes: { ...lanes },
    steps: planned,
    ...(parent === undefined ? {} : { parent }),
    totals: {
      there: count('there'),
      toDo: count('to do'),
      notNeeded: count('not needed'),
      open: count('open'),
      estimateSeconds: Math.max(0, ...[...times.values()].map(({ ends }) => ends)),
    },
    estimates: basisOf(planned.filter(({ estimateSeconds }) => estimateSeconds > 0)),
  };
}

function basisOf(steps: readonly UpPlanStep[]): UpPlanResult['estimates'] {
  const past = steps.filter(({ estimatedFrom }) => estimatedFrom === 'past-runs').length;
  if (past === 0) return 'defaults';
  return past === steps.length ? 'past-runs' : 'some-past-runs';
}
