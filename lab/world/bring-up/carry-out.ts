import type { Artifact } from '../../model/components/components.ts';
import { InternalError } from '../../model/errors/errors.ts';
import type { Image } from '../../model/components/image.ts';
import { runGraph, type Lanes } from '../../model/work/task-graph.ts';
import { isRun, type UpStep, type UpStepKind } from '../../model/saved/up-plan.ts';
import { supplyTiming } from '../../plan/worlds/estimate.ts';
import { COMPONENTS_AT_ONCE } from '../../model/limits/components-at-once.ts';
import type { Supply } from '../../../provision/components/components.ts';
import { ensureProvider, ensureTerraform } from '../../../provision/components/terraform.ts';
import { ensureImage, ensureKernelOf, ensureRootOf } from '../../../provision/layers/image.ts';
import { keepTiming } from '../keep-timing.ts';
import { labWithSignal, type Lab } from '../lab.ts';
import { destroyWorld } from '../steps/destroy.ts';
import { planImageSpec } from '../recipe/image-spec.ts';
import type { UpPlan } from './plan-up.ts';

/** How many steps of each lane are done at once. */
export const UP_LANES: Lanes = { programs: COMPONENTS_AT_ONCE };

/** What the steps before the world have made. */
export interface Supplies {
  /** The artifacts, in the order of the recipe. */
  readonly artifacts: readonly Artifact[];
  /** The image; undefined where nothing needs it. */
  readonly image: Image | undefined;
}

/** What each kind of step gives to those that need it. */
interface Given {
  component: Artifact;
  provider: undefined;
  'root file system': string;
  kernel: string | undefined;
  'old world': undefined;
  image: Image;
}

type SupplyStepKind = Exclude<UpStepKind, 'world'>;

/** What a step works with. It gets nothing of a step that it does not name as needed. */
interface Work {
  readonly lab: Lab;
  readonly plan: UpPlan;
  readonly step: UpStep;
  readonly supply: Supply;
  /** What the needed steps of a kind have given, in their order. */
  readonly needed: <Kind extends SupplyStepKind>(kind: Kind) => Given[Kind][];
}

const WORKS: { readonly [Kind in SupplyStepKind]: (work: Work) => Promise<Given[Kind]> } = {
  component: ({ lab, step: { name, version }, supply }) => supply({ name, version }, lab.host.signal),
  provider: async ({ lab: { host }, supply }) => {
    await ensureProvider(host, await ensureTerraform(host, supply), supply);
    return undefined;
  },
  'root file system': ({ lab: { host }, plan }) => ensureRootOf(host, plan.spec),
  kernel: ({ lab: { host }, plan }) => ensureKernelOf(host, plan.spec),
  'old world': async ({ lab, step: { name, why } }) => {
    lab.host.progress.note(`world ${name} ${why}: making it again`);
    await destroyWorld(lab, name);
    return undefined;
  },
  image: ({ lab: { host }, plan, needed }) =>
    host.progress.step('base image', () =>
      ensureImage(host, planImageSpec(plan.recipe, needed('component'))),
    ),
};

/**
 * Does all steps of a plan but the world, each as soon as what it needs is there, and keeps the time of each that had
 * something to do.
 *
 * @throws what the first step that failed threw; the others are ended.
 */
export async function carryOut(lab: Lab, plan: UpPlan, supply: Supply): Promise<Supplies> {
  const { host } = lab;
  const steps = plan.steps.filter((step) => isRun(step) && step.kind !== 'world');
  const given = new Map<string, Given[SupplyStepKind]>();
  const doStep = async (step: UpStep, signal: AbortSignal): Promise<void> => {
    const startedAt = host.clock.now();
    const own = labWithSignal(lab, signal);
    const needed: Work['needed'] = (kind) =>
      steps
        .filter((planned) => planned.kind === kind && step.needs.includes(planned.id))
        .map(({ id }) => given.get(id) as never);
    if (step.kind === 'world') throw new InternalError('a world is not a supply');
    given.set(step.id, await WORKS[step.kind]({ lab: own, plan, step, supply, needed }));
    const timing = supplyTiming(step, (host.clock.now() - startedAt) / 1000);
    if (step.state === 'to do' && timing !== undefined) keepTiming(host, timing);
  };
  await host.progress.step('programs and image', () =>
    runGraph(steps, { lanes: UP_LANES, signal: host.signal }, doStep),
  );
  const ofKind = <Kind extends SupplyStepKind>(kind: Kind): Given[Kind][] =>
    steps.filter((step) => step.kind === kind).map(({ id }) => given.get(id) as Given[Kind]);
  return { artifacts: ofKind('component'), image: ofKind('image')[0] };
}
