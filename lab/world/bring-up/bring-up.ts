import type { Variant } from '../../model/axes/axes.ts';
import type { Artifact } from '../../model/components/components.ts';
import { DeclaredStartFailure, InternalError } from '../../model/errors/errors.ts';
import type { Image } from '../../model/components/image.ts';
import { openSupply } from '../../../provision/components/components.ts';
import { deriveWorld } from '../derive/derive.ts';
import { findDerivation } from '../derive/find-derivation.ts';
import { proveAccelerator } from '../host/accelerator.ts';
import type { Lab } from '../lab.ts';
import { restoreWorld } from '../restore/restore.ts';
import type { Mutex } from '../mutex.ts';
import type { PristineWorld, ReportWorld } from '../world.ts';
import { buildApart, buildWorld } from './build.ts';
import { carryOut, type Supplies } from './carry-out.ts';
import { planImageSpec } from '../recipe/image-spec.ts';
import { lookUpWorld, type UpSource } from '../recipe/look-up-world.ts';
import { FROM_ITS_IMAGE, planBake, planUp, type UpPlan, type UpWishes } from './plan-up.ts';
import { planWorld, type WorldRecipe } from '../recipe/recipe.ts';

/** How a world came up. */
export interface BroughtUp {
  readonly world: PristineWorld;
  /** `derived`: made of another saved world. `rebuilt`: the restored world was not healthy, twice. */
  readonly how: 'built' | 'derived' | 'restored' | 'rebuilt';
}

/** How to bring a world up. */
export interface BringUpOptions {
  /** Keep a half-built world for a look inside. */
  readonly keep: boolean;
  /** Build it from its image, whatever is saved. */
  readonly fresh?: boolean;
  /** Build it from its image: neither restore it nor derive it from another world. */
  readonly cold?: boolean;
  /** With `cold`: build it beside the saved world, under this name, and keep it for no other run. */
  readonly apart?: string;
  /** Called when it fails its health gate, and when it is built again for that. */
  readonly report?: ReportWorld;
  /** What all worlds share (components, images, the Terraform provider) is made by one of them at a time. */
  readonly oneAtATime?: Mutex;
}

/** Builds or finds the image of a recipe, by the steps that a world takes to it. */
export async function bakeFor(lab: Lab, recipe: WorldRecipe): Promise<Image> {
  const supply = openSupply(lab.host, lab.catalogue);
  const made = new Map<string, Artifact>();
  for (;;) {
    const supplies = await carryOut(lab, await planBake(lab, recipe, made), supply);
    if (supplies.image !== undefined) return supplies.image;
    for (const artifact of supplies.artifacts) made.set(artifact.component, artifact);
  }
}

/**
 * Brings a variant's world up: restores it when it was ready with the same inputs, else derives it from a saved world,
 * else builds it from its image. One that is not healthy after two restores is built again.
 */
export async function bringUp(lab: Lab, variant: Variant, options: BringUpOptions): Promise<BroughtUp> {
  const { host, matrix, catalogue, ports } = lab;
  ports.makeKnown();
  const { oneAtATime = (work) => work() } = options;
  const own = planWorld(variant, { matrix, catalogue, projectDir: host.projectDir, ownDir: host.ownDir });
  const recipe = { ...own, name: options.apart ?? own.name };
  const { accelerator } = await proveAccelerator(host);
  const source: UpSource = { host, matrix, catalogue, accelerator, uri: lab.connection.uri };
  const supply = openSupply(host, catalogue);
  const made = new Map<string, Artifact>();
  let wishes: UpWishes = {
    ...(options.fresh === true ? { notSaved: FROM_ITS_IMAGE.notSaved } : {}),
    ...(options.cold === true ? FROM_ITS_IMAGE : {}),
  };
  for (;;) {
    const { plan, supplies } = await oneAtATime(async () => {
      const planned = await planUp(source, recipe, wishes, made);
      return { plan: planned, supplies: await carryOut(lab, planned, supply) };
    });
    for (const artifact of supplies.artifacts) made.set(artifact.component, artifact);
    if (plan.way === 'open') continue;
    const came = await makeWorld(lab, { source, plan, supplies }, options);
    if ('world' in came) return came;
    wishes = { ...wishes, ...came };
  }
}

/** A plan whose supplies are there. */
interface Supplied {
  readonly source: UpSource;
  readonly plan: UpPlan;
  readonly supplies: Supplies;
}

/** Makes the world in the way of its plan. Where that fails but another way is left, says what is to be planned. */
async function makeWorld(
  lab: Lab,
  supplied: Supplied,
  options: BringUpOptions,
): Promise<BroughtUp | UpWishes> {
  const { plan } = supplied;
  if (plan.way === 'restored') return restore(lab, plan, options);
  if (plan.way === 'derived') return derive(lab, supplied, options);
  return build(lab, supplied, options);
}

async function restore(
  lab: Lab,
  { recipe, saved }: UpPlan,
  { report = () => undefined }: BringUpOptions,
): Promise<BroughtUp | UpWishes> {
  const { host } = lab;
  if (saved === undefined) throw new InternalError(`${recipe.name} is to be restored, but is not saved`);
  try {
    const world = await host.progress.step(`restoring world ${recipe.name}`, () =>
      restoreWorld(lab, { phase: 'saved', record: saved }, report),
    );
    return { world, how: 'restored' };
  } catch (error) {
    if (host.signal.aborted) throw error;
    const unhealthy = (error as Error).message;
    report('world-rebuilt', unhealthy);
    return { notSaved: `was not healthy after two restores (${unhealthy})` };
  }
}

/**
 * Derives a world from a saved one. Where that fails, what was made of it is taken back, and it is to be built from its
 * image.
 *
 * @throws DeclaredStartFailure: the world is what it is declared to be, however it is made.
 */
async function derive(
  lab: Lab,
  { source, plan: { recipe }, supplies: { artifacts } }: Supplied,
  { keep }: BringUpOptions,
): Promise<BroughtUp | UpWishes> {
  const { host } = lab;
  // Looked for again: its components are there now, and the worlds may have changed while they were made.
  const found = await findDerivation(source, recipe, planImageSpec(recipe, artifacts));
  if (found === undefined || 'cold' in found) {
    host.progress.note(
      `world ${recipe.name} is built from its image: ${found?.cold ?? 'its parent is gone'}`,
    );
    return { cold: true };
  }
  const { parent, image, changes, wanted } = found;
  const { key, inputs } = wanted;
  const { accelerator } = source;
  try {
    const world = await host.progress.step(`deriving world ${recipe.name} from ${parent.name}`, () =>
      deriveWorld(lab, { recipe, image, accelerator, key, inputs, keep, parent, changes, artifacts }),
    );
    return { world, how: 'derived' };
  } catch (error) {
    if (host.signal.aborted || keep || error instanceof DeclaredStartFailure) throw error;
    host.progress.note(`could not derive ${recipe.name} from ${parent.name}: ${(error as Error).message}`);
    await lab.undo.run(host.progress);
    return { cold: true };
  }
}

async function build(
  lab: Lab,
  { source: { accelerator, uri }, plan, supplies: { image } }: Supplied,
  { keep, apart }: BringUpOptions,
): Promise<BroughtUp> {
  const { host } = lab;
  const { recipe, saved, notDerived } = plan;
  if (notDerived !== undefined)
    host.progress.note(`world ${recipe.name} is built from its image: ${notDerived}`);
  if (image === undefined) throw new InternalError(`${recipe.name} is to be built without an image`);
  const { key, inputs } = lookUpWorld(host, recipe, { image, accelerator, uri });
  const input = { recipe, image, accelerator, key, inputs };
  const world = await host.progress.step(`building world ${recipe.name}`, () =>
    apart === undefined ? buildWorld(lab, { ...input, keep }) : buildApart(lab, input),
  );
  return { world, how: saved === undefined ? 'built' : 'rebuilt' };
}
