import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Artifact } from '../../../../lab/model/components/components.ts';
import type { Host } from '../../../../lab/model/host/host.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { planImageSpec } from '../../../../lab/world/recipe/image-spec.ts';
import { lookUpWorld, type UpSource } from '../../../../lab/world/recipe/look-up-world.ts';
import { FROM_ITS_IMAGE, planBake, planUp, type UpPlan } from '../../../../lab/world/bring-up/plan-up.ts';
import { findDerivation } from '../../../../lab/world/derive/find-derivation.ts';
import { findImage } from '../../../../provision/layers/image.ts';
import { createQuietHost } from '../../../quiet-host.ts';
import { configWith, PROJECT } from '../../project-files.ts';
import { bakeImage } from '../bake-image.ts';
import { clusterOf, inputOf } from '../fake-world.ts';

vi.mock('../../../../lab/world/derive/find-derivation.ts', () => ({ findDerivation: vi.fn() }));

let folder: string;
let host: Host;
let source: UpSource;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-plan-up-'));
  host = createQuietHost(folder, { projectDir: PROJECT });
  source = { host, matrix, catalogue, accelerator: 'tcg', uri: 'qemu:///session' };
  vi.mocked(findDerivation).mockReset().mockResolvedValue(undefined);
});
afterEach(() => rmSync(folder, { recursive: true }));

const { matrix, catalogue } = configWith();
const { recipe } = inputOf();
const packagesOf: Record<string, string[]> = { containerd: ['containerd'], runc: ['runc'] };
/** Every component of the recipe, as if it had just been made. */
const ALL = new Map(
  recipe.components.map(({ name, version }): [string, Artifact] => [
    name,
    {
      component: name,
      version,
      source: 'local',
      digest: `digest-${name}`,
      files: {},
      packages: packagesOf[name] ?? [],
    },
  ]),
);
const allBut = (...names: string[]): Map<string, Artifact> =>
  new Map([...ALL].filter(([name]) => !names.includes(name)));
const spec = planImageSpec(recipe, [...ALL.values()]);

/** Saves the world of that image. */
function save(key?: string): void {
  const image = findImage(host, spec)!;
  const wanted = lookUpWorld(host, recipe, { image, accelerator: 'tcg', uri: source.uri });
  const { record } = clusterOf({}, { guests: [], kubernetes: {} as never });
  const { dir, hostKey, sshKey, digest } = image;
  const path = statePaths(host.stateDir).world(recipe.name).record;
  mkdirSync(dirname(path), { recursive: true });
  const saved = { ...record, image: { dir, hostKey, sshKey, digest }, state: 'ready', inputs: wanted.inputs };
  writeFileSync(path, JSON.stringify({ ...saved, key: key ?? wanted.key }));
}

const statesOf = ({ steps }: UpPlan): Record<string, string> =>
  Object.fromEntries(steps.filter(({ kind }) => kind !== 'component').map(({ id, state }) => [id, state]));
const needsOf = ({ steps }: UpPlan, id: string): readonly string[] | undefined =>
  steps.find((step) => step.id === id)?.needs;
const components = recipe.components.map(({ name }) => `component ${name}`);

describe('the plan of a first world', () => {
  it('lets nothing wait for programs that does without them', async () => {
    const plan = await planUp(source, recipe, {});
    expect(plan).toMatchObject({ way: 'built', why: 'others are derived from it' });
    for (const id of [...components, 'provider', 'root file system']) expect(needsOf(plan, id)).toEqual([]);
    expect(needsOf(plan, 'image')).toEqual([...components, 'root file system']);
    expect(needsOf(plan, 'world')).toEqual(['image', 'provider']);
    expect(statesOf(plan)).toEqual({
      provider: 'to do',
      'root file system': 'to do',
      image: 'to do',
      world: 'to do',
    });
    const kubernetes = plan.steps.find(({ name }) => name === 'kubernetes');
    expect(kubernetes).toMatchObject({ state: 'to do', sources: ['release', 'gomod'], lane: 'programs' });
  });

  it('needs no root file system when the image is there', async () => {
    bakeImage(host, spec);
    const plan = await planUp(source, recipe, {}, ALL);
    expect(statesOf(plan)).toEqual({
      provider: 'to do',
      'root file system': 'not needed',
      image: 'there',
      world: 'to do',
    });
  });

  it('makes nothing early when the missing programs may come out as they were', async () => {
    bakeImage(host, spec);
    const plan = await planUp(source, recipe, {}, allBut('etcd'));
    expect(plan.way).toBe('open');
    expect(needsOf(plan, 'root file system')).toEqual(components);
    expect(needsOf(plan, 'provider')).toEqual(components);
    const bakes = await planBake(source, recipe, allBut('etcd'));
    expect(bakes.way).toBe('open');
    // Another release of it never comes out as that image has it.
    const other = recipe.components.map((component) =>
      component.name === 'etcd' ? { ...component, version: '3.5.24' } : component,
    );
    expect((await planUp(source, { ...recipe, components: other }, {}, allBut('etcd'))).way).toBe('built');
  });
});

describe('the plan of a world that is known', () => {
  it('restores a saved one, and needs neither Terraform nor an image for it', async () => {
    bakeImage(host, spec);
    save();
    const plan = await planUp(source, recipe, {}, ALL);
    expect(plan.way).toBe('restored');
    expect(statesOf(plan)).toEqual({
      provider: 'not needed',
      'root file system': 'not needed',
      image: 'not needed',
      world: 'to do',
    });
    expect(needsOf(plan, 'world')).toEqual(components);
  });

  it('removes one of other inputs when all programs are there, before disk is taken for an image', async () => {
    bakeImage(host, spec);
    save('another');
    const plan = await planUp(source, recipe, {}, ALL);
    expect(plan.way).toBe('built');
    expect(needsOf(plan, 'old world')).toEqual([...components, 'provider']);
    expect(needsOf(plan, 'image')).toContain('old world');
    expect(needsOf(plan, 'world')).toContain('old world');
  });

  it('builds it again when the saved one is not to be used, and derives nothing then', async () => {
    bakeImage(host, spec);
    save();
    const plan = await planUp(source, recipe, { notSaved: 'was not healthy' }, ALL);
    expect(plan).toMatchObject({ way: 'built', why: 'the saved one was not healthy' });
    expect(plan.steps.find(({ id }) => id === 'old world')?.why).toBe('was not healthy');
    expect(findDerivation).not.toHaveBeenCalled();
  });

  it('builds it for --cold, whether one is saved or not', async () => {
    bakeImage(host, spec);
    expect(await planUp(source, recipe, FROM_ITS_IMAGE, ALL)).toMatchObject({ way: 'built' });
    save();
    expect(await planUp(source, recipe, FROM_ITS_IMAGE, ALL)).toMatchObject({
      way: 'built',
      why: 'the saved one is not to be used',
    });
    expect(findDerivation).not.toHaveBeenCalled();
  });

  it('is open while a missing program may come out as its record has it', async () => {
    bakeImage(host, spec);
    save();
    rmSync(join(host.cacheDir, 'images'), { recursive: true });
    expect((await planUp(source, recipe, {}, allBut('etcd'))).way).toBe('open');
    expect((await planUp(source, recipe, {}, ALL)).way).toBe('built');
  });
});

describe('the plan of a world that is like another one', () => {
  it('derives it, beside the provider and without an image', async () => {
    vi.mocked(findDerivation).mockResolvedValue({ parent: { name: 'parent' } } as never);
    const plan = await planUp(source, recipe, {}, allBut('crictl'));
    expect(plan).toMatchObject({ way: 'derived', parent: 'parent' });
    expect(needsOf(plan, 'world')).toEqual([...components, 'provider']);
    expect(statesOf(plan)).toMatchObject({ 'root file system': 'not needed', image: 'not needed' });
  });

  it('says why it is built all the same', async () => {
    vi.mocked(findDerivation).mockResolvedValue({ cold: 'parent is not there yet' });
    expect(await planUp(source, recipe, {}, ALL)).toMatchObject({
      way: 'built',
      why: 'parent is not there yet',
      notDerived: 'parent is not there yet',
    });
    const cold = await planUp(source, recipe, { cold: true }, ALL);
    expect(cold).toMatchObject({ way: 'built', why: 'it is not to be derived' });
    expect(cold.notDerived).toBeUndefined();
  });
});
