import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Context } from '../../../../lab/commands/context/context.ts';
import { readReplay } from '../../../../lab/commands/saved/read-replay.ts';
import { readJson, writeJsonAtomic } from '../../../../lab/drivers/files/files.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { getComponent, listSources, type ComponentRef } from '../../../../lab/model/components/components.ts';
import { ConfigError } from '../../../../lab/model/errors/errors.ts';
import { digestInputs, flattenInputs } from '../../../../lab/model/components/inputs.ts';
import type { Origin } from '../../../../lab/model/saved/origin.ts';
import { runPaths, statePaths } from '../../../../lab/model/host/paths.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { planImageSpec } from '../../../../lab/world/recipe/image-spec.ts';
import { lookUpWorld } from '../../../../lab/world/recipe/look-up-world.ts';
import { planWorld } from '../../../../lab/world/recipe/recipe.ts';
import { proveAccelerator } from '../../../../lab/world/host/accelerator.ts';
import { rememberLookUps, saveOrigin } from '../../../../lab/world/run/save-origins.ts';
import type { WorldRecord } from '../../../../lab/world/world-record.ts';
import { entryPath } from '../../../../provision/cache/entry-kind.ts';
import { componentKind, writeComponentRecord } from '../../../../provision/components/component-record.ts';
import { lookUpComponent } from '../../../../provision/components/components.ts';
import { planInputs } from '../../../../provision/components/inputs.ts';
import { digestLocalSource } from '../../../../provision/components/local.ts';
import { imageKind } from '../../../../provision/layers/image-kind.ts';
import { writeImageRecord } from '../../../../provision/layers/image-record.ts';
import { collectImageInputs, findImage } from '../../../../provision/layers/image.ts';
import { createQuietContext } from '../../../quiet-host.ts';
import { configWith, PROJECT } from '../../project-files.ts';
import { clusterOf } from '../../world/fake-world.ts';

const config = configWith();
const { matrix, catalogue } = config;
const [cell] = planCells(config, ['default/sigkill-from-node']).cells;
const recipe = planWorld(DEFAULT_VARIANT, { matrix, catalogue, projectDir: PROJECT });
const witness = recipe.components.find(({ name }) => name === 'witness')!;
let context: Context;

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-replay-'));
  // Every test guest boots.
  const run = async () => ({ status: 0, stdout: '', stderr: '', durationMs: 0 });
  context = createQuietContext(folder, { projectDir: PROJECT, uid: 0, run });
  for (const ref of recipe.components) await cacheComponent(ref);
});
afterEach(() => rmSync(dirname(context.stateDir), { recursive: true }));

const recordPath = (): string => statePaths(context.stateDir).world('default').record;

/** Puts a component into the cache, and returns its folder. */
async function cacheComponent({ name, version }: Required<ComponentRef>): Promise<string> {
  const [source] = listSources(getComponent(catalogue, name), version);
  const content =
    source!.kind === 'local' ? await digestLocalSource({ projectDir: PROJECT }, source!) : undefined;
  const inputs = planInputs(name, version, source!, content);
  const folder = entryPath(componentKind(context.cacheDir, inputs), flattenInputs(inputs));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `${name} ${version}`);
  await writeComponentRecord(folder, inputs, {});
  return folder;
}

/** Puts the image of the default world into the cache and saves the world; returns the folder of the image. */
async function makeWorld(): Promise<string> {
  const found = await Promise.all(recipe.components.map((ref) => lookUpComponent(context, catalogue, ref)));
  const spec = planImageSpec(
    recipe,
    found.map(({ artifact }) => artifact!),
  );
  const inputs = collectImageInputs(context, spec);
  const imageDir = entryPath(imageKind(context.cacheDir), inputs);
  mkdirSync(imageDir, { recursive: true });
  for (const name of ['base.raw', 'vmlinuz', 'initrd.img', 'id_ed25519'])
    writeFileSync(join(imageDir, name), '');
  writeImageRecord(imageDir, {
    formatVersion: 1,
    digest: digestInputs(inputs),
    inputs,
    hostKey: '',
    notes: [],
    versions: { containerd: '1.6.20' },
    images: ['registry.k8s.io/pause:3.10'],
    bakedAt: '',
    bakeMs: 0,
  });
  const image = findImage(context, spec)!;
  const { dir, sshKey, hostKey, digest } = image;
  const { accelerator } = await proveAccelerator(context);
  const { key } = lookUpWorld(context, recipe, { image, accelerator, uri: 'qemu:///system' });
  const { record } = clusterOf({}, { guests: [], kubernetes: {} as never });
  mkdirSync(dirname(recordPath()), { recursive: true });
  const saved = { ...record, state: 'ready', key, image: { dir, sshKey, hostKey, digest } };
  writeJsonAtomic(recordPath(), saved);
  return imageDir;
}

/** Saves what a run of the cell was made of, and returns the path of the replay with it, the world changed as given. */
async function exportRun(world: { image?: string } = {}): Promise<string> {
  const { address, variant, loaded, outcome } = cell!;
  const dir = statePaths(context.stateDir).run('1122-a1').dir;
  const paths = runPaths(dir).cell(address);
  mkdirSync(paths.dir, { recursive: true });
  const source = { host: context, matrix, catalogue };
  await saveOrigin(source, { dir, lookUp: rememberLookUps(source) }, cell!);
  const saved = readJson(paths.origin) as Origin;
  const origin = saved.world === undefined ? saved : { ...saved, world: { ...saved.world, ...world } };
  const path = join(dir, 'replay.yaml');
  const made = { address, variant, scenario: loaded.scenario.name, versions: {}, origin };
  const head = { formatVersion: 1, run: '1122-a1', startedAt: '2026-11-22T10:00:00.000Z' };
  const cells = [{ ...made, repeat: 1, expected: outcome }];
  writeFileSync(path, stringify({ ...head, accelerator: 'tcg', cells }));
  return path;
}

/** What the replay is refused with: path, what it wants, what is there. Empty when it is read. */
async function refusalOf(path: string): Promise<string[]> {
  try {
    await readReplay(context, config, path);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => `${problem.path}: ${problem.expected} but ${problem.received}`);
  }
  return [];
}

const SHOWN = '[0-9a-f]{12}';

describe('the world of a replay', () => {
  it('may be saved, be saved as another one, or not be there: what counts is what it would be made of', async () => {
    await makeWorld();
    const path = await exportRun();
    expect(readFileSync(path, 'utf8')).toContain('image: ');
    expect(await refusalOf(path)).toEqual([]);
    writeJsonAtomic(recordPath(), { ...(readJson(recordPath()) as WorldRecord), key: 'another' });
    expect(await refusalOf(path)).toEqual([]);
    rmSync(dirname(recordPath()), { recursive: true });
    expect(await refusalOf(path)).toEqual([]);
  });

  it('is refused with another key than it would get now, although it is saved', async () => {
    await makeWorld();
    const path = await exportRun();
    context = { ...context, uid: 1000 };
    const { accelerator } = await proveAccelerator(context);
    const wanted = `key ${SHOWN} of world default`;
    const received = `${SHOWN}, which it would have now with ${accelerator}, qemu:///session`;
    expect(await refusalOf(path)).toEqual([
      expect.stringMatching(`^cells.0.origin.world.key: ${wanted} but ${received}$`),
    ]);
  });

  it('is refused with another image, and with one that is gone', async () => {
    const imageDir = await makeWorld();
    const other = await exportRun({ image: '4b27'.repeat(16) });
    const at = 'cells.0.origin.world.image';
    const digest = basename(imageDir);
    expect(await refusalOf(other)).toEqual([
      `${at}: image 4b274b274b27 of world default but ${digest}, which it would have now`,
    ]);
    const path = await exportRun();
    rmSync(imageDir, { recursive: true });
    const wanted = `${at}: image ${digest} of world default`;
    expect(await refusalOf(path)).toEqual([`${wanted} but nothing: it is gone from the cache`]);
    rmSync(await cacheComponent(witness), { recursive: true });
    expect(await refusalOf(path)).toEqual([
      expect.stringMatching(`digest: ${SHOWN} of witness .* but nothing: it is gone from the cache$`),
      `${wanted} but nothing: not all of its components are in the cache`,
    ]);
  });

  it('is not asked about where it did not come up', async () => {
    expect(await refusalOf(await exportRun())).toEqual([]);
  });
});

it('names no file outside of the project, as if somebody had typed it', async () => {
  const path = await exportRun();
  const text = readFileSync(path, 'utf8')
    .replace('address: default/', `address: runc@file:${encodeURIComponent('/etc/passwd')}/`)
    .replace('runtime: runc', 'runtime: runc@file:/etc/passwd');
  writeFileSync(path, text);
  await expect(readReplay(context, config, path)).rejects.toThrow(
    'runtime=runc@file:/etc/passwd: /etc/passwd is outside of the project',
  );
});
