import { createHash } from 'node:crypto';
import type { Accelerator } from '../../model/host/host.ts';
import type { Image } from '../../model/components/image.ts';
import { compareInputs, flattenInputs, type Inputs } from '../../model/components/inputs.ts';
import { planNodeSettings, type PlannedSettings } from '../../../provision/guest/node-settings.ts';
import { readGuestSteps, type GuestStep } from '../../../provision/guest/steps.ts';
import { isReady, type WorldRecord } from '../world-record.ts';
import type { NodeFile } from './node-files.ts';
import { kernelArguments, kubeadmConfig, kubeadmPatches, type WorldRecipe } from './recipe.ts';
import { runtimeFiles } from './runtime-files.ts';

/** Everything that goes into a world. */
export interface WorldParts {
  /** The variant is here as what it means: its name holds the values that are not the default, the rest follows. */
  readonly recipe: Omit<WorldRecipe, 'variant'>;
  readonly image: Pick<Image, 'digest' | 'inputs'>;
  readonly accelerator: Accelerator;
  readonly kernelArguments: readonly string[];
  /** Files that configure containerd and its runtimes. */
  readonly runtime: readonly NodeFile[];
  /** What `kubeadm init` gets: its configuration, and patches by name. */
  readonly kubeadm: readonly [string, Readonly<Record<string, string>>];
  readonly steps: readonly GuestStep[];
  /** What the knobs set of a running node; undefined where they set nothing of it. */
  readonly settings?: PlannedSettings | undefined;
  /** The version of libvirt. */
  readonly uri: string;
}

/** Gathers what a world is made of. Throws InternalError for an image that does not say what is in it. */
export function collectWorldParts(
  recipe: WorldRecipe,
  image: Image,
  accelerator: Accelerator,
  { projectDir, uri }: { readonly projectDir: string; readonly uri: string },
): WorldParts {
  return {
    recipe: withoutVariant(recipe),
    image,
    accelerator,
    kernelArguments: kernelArguments(recipe, accelerator),
    runtime: runtimeFiles(recipe, image, recipe.drivers.runtime),
    kubeadm: [kubeadmConfig(recipe), kubeadmPatches(recipe)],
    steps: readGuestSteps(projectDir),
    settings: planNodeSettings(recipe.knobs),
    uri,
  };
}

function withoutVariant({ variant: _variant, ...meaning }: WorldRecipe): WorldParts['recipe'] {
  return meaning;
}

/**
 * Digest of everything that goes into a world: 16 hex digits. A part, or a field of the recipe, that is undefined is not in
 * it: a new axis keeps the keys of today when its default leaves its field undefined.
 */
export function worldKey(parts: WorldParts): string {
  const whole = Object.entries({ ...parts, image: parts.image.digest })
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return createHash('sha256').update(whole.join('\n')).digest('hex').slice(0, 16);
}

/** The same parts by names that a person understands; of files and scripts their digest. */
export function worldInputs(parts: WorldParts): Inputs {
  const { recipe, image, runtime, steps } = parts;
  const [config, patches] = parts.kubeadm;
  return {
    ...image.inputs,
    ...recipeInputs(recipe),
    ...named('kernel argument', parts.kernelArguments, (word) => [word.replace(/=.*$/, ''), word]),
    ...named('runtime file', runtime, (file) => [file.path, digestOf(file)]),
    ...named('kubeadm patch', Object.entries(patches), ([name, text]) => [name, digestOf(text)]),
    'kubeadm configuration': digestOf(config),
    ...named('guest step', steps, ({ name, script }) => [name, digestOf(script)]),
    ...(parts.settings === undefined ? {} : { 'settings of a node': digestOf(parts.settings) }),
    accelerator: parts.accelerator,
    libvirt: parts.uri,
  };
}

/** Only what the recipe says of a world: settings and nodes. The image names the components, with their digests. */
export function recipeInputs(recipe: WorldParts['recipe']): Inputs {
  const settings = Object.entries(recipe).filter(
    ([name, value]) => value !== undefined && !['components', 'nodes', 'variant'].includes(name),
  );
  return {
    ...flattenInputs(Object.fromEntries(settings)),
    ...flattenInputs({ node: Object.fromEntries(recipe.nodes.map((node) => [node.name, node])) }),
  };
}

/** Says in one line why a saved world cannot be used, as the end of `world default …`. */
export function explainStale(known: WorldRecord | undefined, wanted: Inputs): string {
  if (known === undefined) return 'has no record that this version can read';
  if (!isReady(known)) return 'was left half-built';
  const differences = known.inputs === undefined ? [] : compareInputs(known.inputs, wanted);
  if (differences.length === 0) return 'was made of other inputs, which its record does not name';
  return `was made of other inputs: ${differences.join('; ')}`;
}

function named<T>(what: string, parts: readonly T[], describe: (part: T) => [string, string]): Inputs {
  return Object.fromEntries(parts.map(describe).map(([name, value]) => [`${what} ${name}`, value]));
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
