import { describe, expect, it } from 'vitest';
import type { Image } from '../../../../lab/model/components/image.ts';
import { listDifferences } from '../../../../lab/model/components/inputs.ts';
import {
  collectWorldParts,
  explainStale,
  worldInputs,
  worldKey,
  type WorldParts,
} from '../../../../lab/world/recipe/world-inputs.ts';
import type { WorldRecord } from '../../../../lab/world/world-record.ts';
import { PROJECT } from '../../project-files.ts';
import { clusterOf, inputOf } from '../fake-world.ts';

const digest = (digit: string): string => digit.repeat(64);
const imageOf = (inputs: Image['inputs']): Image => ({ ...inputOf().image, inputs });
const witness = (digit: string): Image =>
  imageOf({ suite: 'bookworm', 'component witness': `1.0.0 ${digest(digit)}` });
const partsOf = (image = witness('a'), accelerator: 'kvm' | 'tcg' = 'tcg'): WorldParts =>
  collectWorldParts(inputOf().recipe, image, accelerator, { projectDir: PROJECT, uri: 'qemu:///system' });
const savedWith = (inputs: WorldRecord['inputs']): WorldRecord => {
  const { record } = clusterOf({}, { guests: [], kubernetes: {} as never });
  return { ...record, state: 'ready', inputs };
};

describe('the key of a world', () => {
  it('is that of the worlds of today: another one makes every lab build its worlds again', () => {
    const parts = {
      recipe: { name: 'default', nodes: [{ name: 'node-1', memoryMiB: 2048 }] },
      image: { digest: 'dd', inputs: {} },
      accelerator: 'tcg',
      kernelArguments: ['rw', 'highres=off'],
      runtime: [{ path: '/etc/a', text: 'b\n' }],
      kubeadm: ['config', { 'a.yaml': 'patch' }],
      steps: [{ name: '10-a', script: 'true\n' }],
      uri: 'qemu:///system',
    } as unknown as WorldParts;
    expect(worldKey(parts)).toBe('ff34bc6c44dc546d');
  });

  it('stays when the recipe has a new field that a default leaves undefined', () => {
    const parts = partsOf();
    const [without, empty, full] = [undefined, { network: undefined }, { network: 'cilium' }].map((more) => ({
      ...parts,
      recipe: { ...parts.recipe, ...more },
    })) as [WorldParts, WorldParts, WorldParts];
    expect(worldKey(empty)).toBe(worldKey(without));
    expect(listDifferences(worldInputs(without), worldInputs(empty))).toEqual([]);
    expect(worldKey(full)).not.toBe(worldKey(without));
    expect(listDifferences(worldInputs(without), worldInputs(full))).toEqual(['network']);
  });

  it('is another one for every variant that has another name', () => {
    const keys = [{}, { knobs: 'serial-pulls' }, { cgroup: 'v1' }, { nodes: '1+1' }].map((axes) =>
      worldKey(
        collectWorldParts(inputOf(axes).recipe, witness('a'), 'tcg', { projectDir: PROJECT, uri: 'u' }),
      ),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('the inputs of a world', () => {
  /** Paths of all leaves, but for components: the image names them with version and digest. */
  const leaves = (value: unknown, path: string[] = []): string[][] => {
    if (typeof value !== 'object' || value === null) return [path];
    return Object.entries(value)
      .filter(([name]) => !(path.at(-1) === 'recipe' && name === 'components'))
      .flatMap(([name, inner]) => leaves(inner, [...path, name]));
  };
  const change = (parts: WorldParts, path: readonly string[]): WorldParts => {
    const copy = structuredClone(parts);
    let holder = copy as unknown as Record<string, unknown>;
    for (const name of path.slice(0, -1)) holder = holder[name] as Record<string, unknown>;
    holder[path.at(-1) ?? ''] = 'another';
    return copy;
  };

  it('differ whenever the key does, whatever part has changed', () => {
    const parts = { ...partsOf(), image: { digest: 'd', inputs: { 'component etcd': 'd' } } };
    const paths = leaves(parts).filter((path) => path.join('.') !== 'image.digest');
    expect(paths.length).toBeGreaterThan(40);
    const silent = paths.filter(
      (path) => listDifferences(worldInputs(parts), worldInputs(change(parts, path))).length === 0,
    );
    expect(silent.map((path) => path.join('.'))).toEqual([]);
  });

  it('hold no text of files, only what tells them apart', () => {
    const longest = Math.max(...Object.values(worldInputs(partsOf())).map((value) => value.length));
    expect(longest).toBeLessThan(200);
  });
});

describe('why a world is built again', () => {
  it('names each input that differs, with both values', () => {
    const saved = savedWith(worldInputs(partsOf(witness('a'), 'kvm')));
    expect(explainStale(saved, worldInputs(partsOf(witness('b'), 'tcg')))).toBe(
      'was made of other inputs: accelerator was kvm, is tcg; ' +
        'component witness was 1.0.0 aaaaaaaaaaaa, is 1.0.0 bbbbbbbbbbbb; kernel argument highres is new',
    );
  });

  it('is honest about a record that does not name them', () => {
    const unnamed = 'was made of other inputs, which its record does not name';
    const older = savedWith({});
    delete older.inputs;
    expect(explainStale(older, worldInputs(partsOf()))).toBe(unnamed);
    expect(explainStale(savedWith(worldInputs(partsOf())), worldInputs(partsOf()))).toBe(unnamed);
  });

  it('tells a half-built world from one whose record cannot be read', () => {
    expect(explainStale({ ...savedWith({}), state: 'building' }, {})).toBe('was left half-built');
    expect(explainStale(undefined, {})).toBe('has no record that this version can read');
  });
});
