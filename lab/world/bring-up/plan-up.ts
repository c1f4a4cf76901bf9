import { pathExists } from '../../drivers/files/files.ts';
import type { Artifact } from '../../model/components/components.ts';
import type { Image, ImageSpec } from '../../model/components/image.ts';
import { parseLocalBuild } from '../../model/components/local-build.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { UpStep, UpWay } from '../../model/saved/up-plan.ts';
import { findParent } from '../../plan/worlds/plan-worlds.ts';
import { lookUpComponent, type ComponentLookup } from '../../../provision/components/components.ts';
import { findTerraform, hasProvider, PROVIDER_VERSION } from '../../../provision/components/terraform.ts';
import {
  collectImageInputs,
  explainImage,
  findImage,
  mayComeOutAs,
  mayHaveImage,
} from '../../../provision/layers/image.ts';
import { findDerivation } from '../derive/find-derivation.ts';
import { findWorldRecord, isReady, type ReadyRecord } from '../world-record.ts';
import { planImageSpec } from '../recipe/image-spec.ts';
import { findImageOf, lookUpWorld, type UpSource } from '../recipe/look-up-world.ts';
import type { WorldRecipe } from '../recipe/recipe.ts';
import { recipeInputs } from '../recipe/world-inputs.ts';

/** What is asked of a world besides its recipe. */
export interface UpWishes {
  /** Never derive it from another world. */
  readonly cold?: boolean;
  /** Why a saved one is not to be used, as the end of `world default …`. */
  readonly notSaved?: string;
}

/** What `--cold` asks for: the world is built, whatever is saved of it or of its parent. */
export const FROM_ITS_IMAGE: UpWishes = { cold: true, notSaved: 'is not to be used' };

/** How a world comes up, and by which steps. */
export interface UpPlan {
  readonly recipe: WorldRecipe;
  /** Components that are not made yet are in it with a placeholder for the digest. */
  readonly spec: ImageSpec;
  readonly way: UpWay;
  /** Why this way, in a clause. */
  readonly why: string;
  /** The world that is saved, made of the same inputs, whether it is to be used or not. */
  readonly saved?: ReadyRecord;
  /** Name of the world that it is derived from. */
  readonly parent?: string;
  /** Why it is not derived although such a world could be, in a clause. */
  readonly notDerived?: string;
  /** In the order in which they are begun; the last one is the world. */
  readonly steps: readonly UpStep[];
}

/** Components whose artifacts are known, though their lookup does not say so: name to artifact. */
export type MadeArtifacts = ReadonlyMap<string, Artifact>;

/**
 * Plans how a world comes up: the steps that it takes, what each waits for, and those that have nothing to do. Looks
 * into the caches and at the saved worlds; makes nothing.
 *
 * @param made components that this process has just made.
 */
export async function planUp(
  source: UpSource,
  recipe: WorldRecipe,
  wishes: UpWishes,
  made: MadeArtifacts = new Map(),
): Promise<UpPlan> {
  const { components, missing, spec } = await lookUpAll(source, recipe, made);
  const isOpen =
    mayHaveIt(source.host, recipe, spec, missing) || mayBeSaved(source.host, recipe, spec, missing);
  const chosen = isOpen ? OPEN : await chooseWay(source, recipe, spec, wishes);
  const steps = await listOtherSteps({ source, recipe, spec, way: chosen.way, components }, chosen);
  return { recipe, spec, ...chosen, steps: [...components, ...steps] };
}

/** Plans the same, but only for the image of a recipe. */
export async function planBake(
  source: Pick<UpSource, 'host' | 'catalogue'>,
  recipe: WorldRecipe,
  made: MadeArtifacts,
): Promise<UpPlan> {
  const { components, missing, spec } = await lookUpAll(source, recipe, made);
  const way = mayHaveIt(source.host, recipe, spec, missing) ? 'open' : 'built';
  const layers = listLayers({ source, recipe, spec, way, components }, []);
  return { recipe, spec, way, why: 'only the image is wanted', steps: [...components, ...layers] };
}

type Chosen = Omit<UpPlan, 'recipe' | 'spec' | 'steps'> & {
  /** Why the world that is in the way goes. */
  readonly removal?: string;
};

const OPEN: Chosen = {
  way: 'open',
  why: 'an image is there that fits if the missing programs come out as they were',
};

/** What is known of the programs of a recipe before any is made. */
interface Programs {
  readonly components: readonly UpStep[];
  /** Names of those that are not there. */
  readonly missing: ReadonlySet<string>;
  readonly spec: ImageSpec;
}

async function lookUpAll(
  { host, catalogue }: Pick<UpSource, 'host' | 'catalogue'>,
  recipe: WorldRecipe,
  made: MadeArtifacts,
): Promise<Programs> {
  const found = await Promise.all(
    recipe.components.map(async (ref) => {
      const lookup = await lookUpComponent(host, catalogue, ref);
      const artifact = made.get(ref.name) ?? lookup.artifact;
      return { step: componentStep(ref.name, lookup, artifact !== undefined), artifact };
    }),
  );
  const missing = found.filter(({ artifact }) => artifact === undefined).map(({ step }) => step.name);
  const artifacts = found.map(({ step, artifact }) => artifact ?? standIn(step));
  return {
    components: found.map(({ step }) => step),
    missing: new Set(missing),
    spec: planImageSpec(recipe, artifacts),
  };
}

function componentStep(name: string, { version, why, sources }: ComponentLookup, isThere: boolean): UpStep {
  return {
    id: `component ${name}`,
    kind: 'component',
    name,
    version,
    why,
    sources,
    needs: [],
    state: isThere ? 'there' : 'to do',
    lane: 'programs',
  };
}

/** A component that is not made yet: no digest is like its own. */
function standIn({ name, version }: UpStep): Artifact {
  return { component: name, version, source: 'local', digest: 'not made yet', files: {}, packages: [] };
}

/** Whether the image may be there already, though some components are not: then nothing is made before they are. */
function mayHaveIt(
  host: UpSource['host'],
  { components }: WorldRecipe,
  spec: ImageSpec,
  missing: ReadonlySet<string>,
): boolean {
  if (missing.size === 0) return false;
  // The packages of a local build are known once it was read, and with them the root file system.
  return (
    components.some(({ name, version }) => missing.has(name) && parseLocalBuild(version) !== undefined) ||
    mayHaveImage(host, spec, missing)
  );
}

/** The same of the world: one that was derived is built on the image of another one. */
function mayBeSaved(
  { projectDir, cacheDir, stateDir }: UpSource['host'],
  recipe: WorldRecipe,
  spec: ImageSpec,
  missing: ReadonlySet<string>,
): boolean {
  const record = findWorldRecord(stateDir, recipe.name);
  if (missing.size === 0 || record?.inputs === undefined || !isReady(record)) return false;
  const wanted = {
    ...record.inputs,
    ...collectImageInputs({ projectDir, cacheDir }, spec),
    ...recipeInputs(recipe),
  };
  return mayComeOutAs(record.inputs, wanted, missing);
}

async function chooseWay(
  source: UpSource,
  recipe: WorldRecipe,
  spec: ImageSpec,
  { cold, notSaved }: UpWishes,
): Promise<Chosen> {
  const { host, accelerator, uri } = source;
  const image = findImageOf(host, recipe, spec);
  const known = image === undefined ? undefined : lookUpWorld(host, recipe, { image, accelerator, uri });
  const saved = known?.saved;
  if (saved !== undefined && notSaved === undefined)
    return { way: 'restored', why: 'it is saved, made of the same', saved };
  const why = saved === undefined ? known?.why : notSaved;
  const removal = pathExists(statePaths(host.stateDir).world(recipe.name).dir)
    ? (why ?? 'is built on an image that is gone')
    : undefined;
  const rest = { ...(saved === undefined ? {} : { saved }), ...(removal === undefined ? {} : { removal }) };
  if (saved !== undefined) return { way: 'built', why: `the saved one ${notSaved ?? ''}`, ...rest };
  if (cold === true) return { way: 'built', why: 'it is not to be derived', ...rest };
  const found = await findDerivation(source, recipe, spec);
  if (found === undefined)
    return { way: 'built', why: findParent(recipe.variant, source.matrix).why, ...rest };
  if ('cold' in found) return { way: 'built', why: found.cold, notDerived: found.cold, ...rest };
  return { way: 'derived', why: 'it can be made of that world', parent: found.parent.name, ...rest };
}

/** What the steps besides the components follow from. */
interface StepsContext {
  readonly source: Pick<UpSource, 'host' | 'catalogue'>;
  readonly recipe: WorldRecipe;
  readonly spec: ImageSpec;
  readonly way: UpWay;
  readonly components: readonly UpStep[];
}

async function listOtherSteps(context: StepsContext, { why, removal }: Chosen): Promise<UpStep[]> {
  const { recipe, way, components } = context;
  const programs = components.map(({ id }) => id);
  const provider = await planProvider(context);
  const removals =
    removal === undefined ? [] : [removalStep(recipe.name, removal, [...programs, provider.id])];
  const after = removals.map(({ id }) => id);
  const needs: Readonly<Record<UpWay, readonly string[]>> = {
    restored: programs,
    derived: [...programs, provider.id, ...after],
    built: ['image', provider.id, ...after],
    open: ['image', provider.id],
  };
  return [
    provider,
    ...removals,
    ...listLayers(context, after),
    {
      id: 'world',
      kind: 'world',
      name: recipe.name,
      version: '',
      sources: [],
      state: way === 'open' ? 'open' : 'to do',
      why,
      needs: needs[way],
    },
  ];
}

async function planProvider({ source, way, components }: StepsContext): Promise<UpStep> {
  const { host, catalogue } = source;
  const step: Omit<UpStep, 'state' | 'why'> = {
    id: 'provider',
    kind: 'provider',
    name: 'libvirt',
    version: PROVIDER_VERSION,
    sources: [],
    needs: way === 'open' ? components.map(({ id }) => id) : [],
    lane: 'programs',
  };
  if (way === 'open') return { ...step, state: 'open', why: OPEN.why };
  if (way === 'restored') return { ...step, state: 'not needed', why: 'a saved world has its machines' };
  if (!hasProvider(host)) return { ...step, state: 'to do', why: 'there is no provider in the cache' };
  const terraform = await findTerraform(host);
  if (terraform !== undefined) return { ...step, state: 'there', why: terraform.program };
  const { artifact, why } = await lookUpComponent(host, catalogue, { name: 'opentofu' });
  return { ...step, state: artifact === undefined ? 'to do' : 'there', why };
}

function removalStep(name: string, why: string, needs: readonly string[]): UpStep {
  return { id: 'old world', kind: 'old world', name, version: '', state: 'to do', why, sources: [], needs };
}

/** The image and what it is made of. An old world goes before: it takes disk. */
function listLayers(
  { source: { host }, spec, way, components }: StepsContext,
  after: readonly string[],
): UpStep[] {
  const programs = components.map(({ id }) => id);
  const image = way === 'built' ? findImage(host, spec) : undefined;
  const isBaked = way === 'built' && image === undefined;
  const answers = explainImage(host, spec).filter(({ kind }) => kind !== 'store');
  const idle = way === 'built' ? 'the image is there' : 'its disks stand on an image that is there';
  const layers = answers.flatMap(({ kind, name, hit, why }): UpStep[] => {
    if (kind !== 'root file system' && kind !== 'kernel') return [];
    const step = { id: kind, kind, name, version: '', sources: [], needs: way === 'open' ? programs : [] };
    if (way === 'open') return [{ ...step, state: 'open', why: OPEN.why }];
    if (!isBaked) return [{ ...step, state: 'not needed', why: idle }];
    return [{ ...step, state: hit ? 'there' : 'to do', why }];
  });
  const used = layers.filter(({ state }) => state !== 'not needed').map(({ id }) => id);
  return [...layers, imageStep({ way, spec, image, answers }, [...programs, ...used, ...after])];
}

function imageStep(
  known: {
    readonly way: UpWay;
    readonly spec: ImageSpec;
    readonly image: Image | undefined;
    readonly answers: ReturnType<typeof explainImage>;
  },
  needs: readonly string[],
): UpStep {
  const { way, spec, image, answers } = known;
  const step: Omit<UpStep, 'state' | 'why'> = {
    id: 'image',
    kind: 'image',
    name: spec.suite,
    sources: [],
    needs,
    version: `Kubernetes ${spec.kubernetes}`,
  };
  if (way === 'open') return { ...step, state: 'open', why: OPEN.why };
  if (way !== 'built')
    return { ...step, state: 'not needed', why: 'its disks stand on an image that is there' };
  if (image !== undefined) return { ...step, state: 'there', why: image.dir };
  const why = answers.find(({ kind }) => kind === 'image')?.why ?? '';
  return { ...step, state: 'to do', why };
}
