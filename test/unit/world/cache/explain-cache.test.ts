import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CacheAnswer } from '../../../../lab/model/saved/cache.ts';
import type { Host } from '../../../../lab/model/host/host.ts';
import type { Image, ImageSpec } from '../../../../lab/model/components/image.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { lookUpWorld, type WorldLookup } from '../../../../lab/world/recipe/look-up-world.ts';
import { explainWorld } from '../../../../lab/world/cache/explain-cache.ts';
import { proveAccelerator } from '../../../../lab/world/host/accelerator.ts';
import type { WorldRecord } from '../../../../lab/world/world-record.ts';
import { createQuietHost } from '../../../quiet-host.ts';
import { PROJECT } from '../../project-files.ts';
import { bakeImage } from '../bake-image.ts';
import { clusterOf, inputOf } from '../fake-world.ts';

let folder: string;
let host: Host;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-explain-'));
  // Every test guest boots.
  const run = async () => ({ status: 0, stdout: '', stderr: '', durationMs: 0 });
  host = createQuietHost(folder, { projectDir: PROJECT, uid: 0, run });
});
afterEach(() => rmSync(folder, { recursive: true }));

const { recipe } = inputOf();
const specOf = (witness: string): ImageSpec => ({
  suite: recipe.suite,
  debian: recipe.debian,
  kubernetes: recipe.kubernetes,
  kernel: recipe.kernel,
  artifacts: [{ component: 'witness', version: '1.0.0', source: 'local', digest: witness, files: {} }],
});

/** Saves the world of an image, as it was made with one of the inputs given. */
async function save(image: Image, changed: Partial<WorldRecord> = {}): Promise<WorldLookup> {
  const { accelerator } = await proveAccelerator(host);
  const wanted = lookUpWorld(host, recipe, { image, accelerator, uri: 'qemu:///system' });
  const { record } = clusterOf({}, { guests: [], kubernetes: {} as never });
  const { dir, hostKey, sshKey, digest } = image;
  const path = statePaths(host.stateDir).world(recipe.name).record;
  mkdirSync(dirname(path), { recursive: true });
  const saved = { ...record, image: { dir, hostKey, sshKey, digest }, state: 'ready', inputs: wanted.inputs };
  writeFileSync(path, JSON.stringify({ ...saved, key: wanted.key, ...changed }));
  return wanted;
}

const answer = (hit: boolean, why: string): CacheAnswer => ({
  kind: 'world',
  name: 'default',
  version: '',
  hit,
  why,
});

describe('what is said of the world of a variant', () => {
  it('is where it lies, when it is saved and made of the same inputs', async () => {
    const spec = specOf('aa');
    await save(bakeImage(host, spec));
    const { dir } = statePaths(host.stateDir).world('default');
    expect(await explainWorld(host, recipe, spec)).toEqual(answer(true, dir));
  });

  it('is which input differs, when it would be built again', async () => {
    const spec = specOf('aa');
    const { inputs } = await save(bakeImage(host, spec));
    await save(bakeImage(host, spec), { key: 'another', inputs: { ...inputs, libvirt: 'qemu:///session' } });
    expect(await explainWorld(host, recipe, spec)).toEqual(
      answer(false, 'was made of other inputs: libvirt was qemu:///session, is qemu:///system'),
    );
  });

  it('is which input differs although the new image is not there yet', async () => {
    await save(bakeImage(host, specOf('aa')));
    expect(await explainWorld(host, recipe, specOf('bb'))).toEqual(
      answer(false, 'was made of other inputs: component witness was 1.0.0 aa, is 1.0.0 bb'),
    );
  });

  it('is that there is none, or none that is whole', async () => {
    const spec = specOf('aa');
    expect((await explainWorld(host, recipe, spec)).why).toBe('made after the image, which is not there yet');
    const image = bakeImage(host, spec);
    expect(await explainWorld(host, recipe, spec)).toEqual(answer(false, 'is not there yet'));
    await save(image, { state: 'building' });
    expect(await explainWorld(host, recipe, spec)).toEqual(answer(false, 'was left half-built'));
  });
});
