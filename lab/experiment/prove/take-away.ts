import type { Variant } from '../../model/axes/axes.ts';
import type { LoadedScenario, Manifest } from '../../model/declared/scenario.ts';
import type { Stimulus } from '../../model/declared/stimulus.ts';
import { isObject } from '../../model/files/parse-json.ts';
import type { Alteration, FieldPlace, Removal } from './intervention.ts';
import { listContainers, listEditable, listVictimSpecs, type Editable } from './pods-of.ts';

/** What is run: a scenario with its parameters filled in, on a variant. */
export interface StagedScenario {
  readonly loaded: LoadedScenario;
  readonly variant: Variant;
}

/** The same without a cause. */
export interface TakenAway extends StagedScenario {
  /** Each change that was made, in words: `limits.memory 128Mi of eater is lifted`. */
  readonly made: readonly string[];
}

/** Takes a cause away, and nothing else; undefined where there is nothing to take away. The argument stays as it is. */
export function takeAway(
  staged: StagedScenario,
  { changes }: Pick<Removal, 'changes'>,
): TakenAway | undefined {
  const { loaded } = staged;
  const draft: Draft = {
    loaded,
    variant: staged.variant,
    manifests: structuredClone(loaded.manifests) as Manifest[],
    later: structuredClone(loaded.later) as Record<string, Manifest[]>,
    stimulus: [...loaded.scenario.stimulus],
  };
  const made = changes.flatMap((change) => make(draft, change));
  if (made.length === 0) return undefined;
  const { manifests, later, stimulus, variant } = draft;
  const scenario = { ...loaded.scenario, stimulus };
  // What is saved as the origin of the cell is what was run.
  const source = {
    ...loaded.source,
    scenario,
    parameters: {},
    manifests: distribute(loaded.source.manifests, manifests),
    later,
  };
  return { loaded: { ...loaded, scenario, manifests, later, source }, variant, made };
}

interface Draft {
  readonly loaded: LoadedScenario;
  variant: Variant;
  readonly manifests: Manifest[];
  readonly later: Record<string, Manifest[]>;
  stimulus: Stimulus[];
}

function make(draft: Draft, change: Alteration): string[] {
  switch (change.change) {
    case 'remove':
      return placesOf(draft, change.of).flatMap((place) => removeField(place, change.field));
    case 'set':
      return placesOf(draft, change.of).flatMap((place) => setField(place, change.field, change.value));
    case 'lift-limit':
      return podsOf(draft).flatMap((pod) =>
        [pod, ...listContainers(pod)].flatMap((place) => liftLimit(place, change.resource)),
      );
    case 'hold-back':
      return holdBackStimuli(draft, change);
    case 'axis':
      return changeAxis(draft, change);
  }
}

function podsOf({ loaded: { scenario }, manifests, later }: Draft): Editable[] {
  return [...manifests, ...Object.values(later).flat()].flatMap((manifest) =>
    listVictimSpecs(manifest, scenario),
  );
}

function placesOf(draft: Draft, place: FieldPlace): Editable[] {
  const { container } = draft.loaded.scenario.victim;
  return podsOf(draft).flatMap((pod) => {
    switch (place) {
      case 'pod':
        return [pod];
      case 'volumes':
        return listEditable(pod.volumes);
      case 'containers':
        return listContainers(pod);
      case 'container':
        return listContainers(pod).filter(({ name }) => name === container);
    }
  });
}

function removeField(place: Editable, field: readonly string[]): string[] {
  const [last = '', ...path] = field.toReversed();
  const parent = path.reduceRight<unknown>((value, key) => (isObject(value) ? value[key] : undefined), place);
  if (!isObject(parent) || parent[last] === undefined) return [];
  // Another object may be what an empty one is not: `lifecycle: {}` is allowed, `emptyDir: {}` is needed.
  Reflect.deleteProperty(parent, last);
  return [`${field.join('.')}${nameOf(place)} is taken out`];
}

function setField(place: Editable, field: readonly string[], value: string | number): string[] {
  const [last = '', ...path] = field.toReversed();
  const parent = path.toReversed().reduce<Editable>((object, key) => {
    const inner = isObject(object[key]) ? object[key] : {};
    object[key] = inner;
    return inner;
  }, place);
  if (parent[last] === value) return [];
  parent[last] = value;
  return [`${field.join('.')}${nameOf(place)} is ${value}`];
}

/** A limit without a request is a request too: it is written out, so that only the limit goes. */
function liftLimit(place: Editable, resource: string): string[] {
  const { resources } = place;
  if (!isObject(resources) || !isObject(resources.limits)) return [];
  const limit = resources.limits[resource];
  if (typeof limit !== 'string' && typeof limit !== 'number') return [];
  Reflect.deleteProperty(resources.limits, resource);
  const requests = isObject(resources.requests) ? resources.requests : {};
  requests[resource] ??= limit;
  resources.requests = requests;
  return [`limits.${resource} ${limit}${nameOf(place)} is lifted`];
}

function nameOf({ name }: Editable): string {
  return typeof name === 'string' ? ` of ${name}` : ' of the pod';
}

function holdBackStimuli(
  draft: Draft,
  { stimulus, where = {} }: Alteration & { change: 'hold-back' },
): string[] {
  const fits = (one: Stimulus): boolean =>
    one.kind === stimulus &&
    Object.entries(where).every(
      ([field, value]) => (one as Readonly<Record<string, unknown>>)[field] === value,
    );
  const held = draft.stimulus.filter(fits);
  draft.stimulus = draft.stimulus.filter((one) => !fits(one));
  return held.map((one) => `${one.kind} is held back${'about' in one ? `: ${one.about}` : ''}`);
}

function changeAxis(draft: Draft, { axis, from, to }: Alteration & { change: 'axis' }): string[] {
  const before = draft.variant[axis];
  if (!from.includes(before)) return [];
  draft.variant = { ...draft.variant, [axis]: to };
  return [`${axis}=${before} is ${axis}=${to}`];
}

/** Objects in place of those of each file, which are as many. */
function distribute(
  files: LoadedScenario['source']['manifests'],
  objects: readonly Manifest[],
): Record<string, readonly Manifest[]> {
  let next = 0;
  return Object.fromEntries(
    Object.entries(files).map(([file, { length }]) => [file, objects.slice(next, (next += length))]),
  );
}
