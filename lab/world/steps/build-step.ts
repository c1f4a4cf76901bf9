import type { Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import type { Effective } from '../../model/saved/effective.ts';
import type { Accelerator, Guest } from '../../model/host/host.ts';
import type { Image } from '../../model/components/image.ts';
import type { Inputs } from '../../model/components/inputs.ts';
import { labWithSignal, type Lab } from '../lab.ts';
import type { ReadyRecord, WorldRecord } from '../world-record.ts';
import type { WorldRecipe } from '../recipe/recipe.ts';

/** What a world is built from. */
export interface BuildInput {
  readonly recipe: WorldRecipe;
  readonly image: Image;
  readonly accelerator: Accelerator;
  /** Digest of everything that goes into the world. */
  readonly key: string;
  /** The same for a reader: what it is made of, by name. */
  readonly inputs: Inputs;
  /** The saved world that it is derived from; absent where it is built from its image. */
  readonly parent?: ReadyRecord;
  /** Which lane of its parent it is; absent of a world. */
  readonly lane?: number;
}

/** A world whose names, ports and folder are chosen and leased. */
export interface ReservedWorld extends BuildInput {
  readonly record: WorldRecord;
}

/** A world whose nodes answer. */
export interface BootedWorld extends ReservedWorld {
  /** One connection per node, control plane first. */
  readonly guests: readonly Guest[];
}

/** A world whose control plane was made. */
export interface ClusterWorld extends BootedWorld {
  readonly kubernetes: Kubernetes;
}

/** A world that is what its variant declares, as read back from it. */
export interface SettledWorld extends ClusterWorld {
  readonly effective: Effective;
  /** Whether the variant itself restarts containers of the control plane, again and again. */
  readonly restartsDeclared: boolean;
}

/** Takes a step back, also one that stopped halfway. */
interface StepUndo {
  /** As progress shows it, before the name of the world: `remove the machines of`. */
  readonly title: string;
  readonly timeoutMs: number;
  readonly run: (lab: Lab, world: string) => Promise<void>;
}

/** One step of a build: takes the world as the step before left it, and returns it with what was added. */
export interface BuildStep<From, To = From> {
  /** What it took is `<name>Ms` in the timings of the record. */
  readonly name: string;
  /** The title that progress shows. */
  readonly title: string;
  readonly run: (lab: Lab, world: From, update: (detail: string) => void) => Promise<To>;
  /** Absent where the step changes only the inside of machines, which are removed whole. */
  readonly undo?: StepUndo;
}

/** A step in a list. The types of the list say what it takes and gives. */
type ListedStep = BuildStep<never, unknown> & { readonly isNeeded: (recipe: WorldRecipe) => boolean };

/** Steps in their order. The compiler refuses one that needs what no step before it gives. */
export interface StepList<To> {
  readonly steps: readonly ListedStep[];
  next<Next extends To>(step: BuildStep<To, Next>): StepList<Next>;
  /** Adds a step that runs for some worlds only. So later steps cannot need what it gives. */
  nextIf(isNeeded: ListedStep['isNeeded'], step: BuildStep<To>): StepList<To>;
}

/** Begins a list of steps. */
export function startSteps(): StepList<BuildInput> {
  return listSteps([]);
}

function listSteps<To>(steps: readonly ListedStep[]): StepList<To> {
  return {
    steps,
    next: (step) => listSteps([...steps, { ...step, isNeeded: () => true }]),
    nextIf: (isNeeded, step) => listSteps([...steps, { ...step, isNeeded }]),
  };
}

/**
 * Runs steps in their order. What takes a step back is registered before it begins, so that the steps are taken back in
 * reverse order when one of them fails.
 *
 * @param options `keep` registers nothing: a half-built world stays for a look inside.
 * @returns the world as the last step left it, and what each step took, in milliseconds.
 */
export async function runSteps<To>(
  lab: Lab,
  list: StepList<To>,
  input: BuildInput,
  options: { readonly keep: boolean },
): Promise<{ world: To; timings: Record<string, number> }> {
  const { host } = lab;
  const { name: worldName } = input.recipe;
  const timings: Record<string, number> = {};
  let world: unknown = input;
  for (const { name, title, run, undo } of list.steps.filter((step) => step.isNeeded(input.recipe))) {
    if (undo !== undefined && !options.keep) {
      lab.undo.register(
        `${undo.title} ${worldName}`,
        (signal) => undo.run(labWithSignal(lab, signal), worldName),
        { timeoutMs: undo.timeoutMs },
      );
    }
    const startedAt = host.clock.now();
    world = await host.progress.step(title, (update) => run(lab, world as never, update));
    timings[`${name}Ms`] = host.clock.now() - startedAt;
  }
  return { world: world as To, timings };
}
