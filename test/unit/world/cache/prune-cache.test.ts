import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CacheEntry } from '../../../../lab/model/saved/cache.ts';
import { entryLockPaths } from '../../../../lab/model/host/paths.ts';
import { planPrune } from '../../../../lab/plan/worlds/plan-prune.ts';
import { listCache } from '../../../../lab/world/cache/list-cache.ts';
import { pruneCache } from '../../../../lab/world/cache/prune-cache.ts';
import { noteImageUser } from '../../../../provision/layers/image-users.ts';

const entry = (name: string, bytes: number, day: number, usedBy: string[] = []): CacheEntry => ({
  kind: 'image',
  name,
  version: '',
  bytes,
  usedBy,
  path: `/cache/images/${name}`,
  lastUsedAt: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`,
});
const names = (entries: readonly CacheEntry[]): string[] => entries.map(({ name }) => name);

describe('what prune chooses', () => {
  it('is the least recently used first, and no more than needed', () => {
    const plan = planPrune([entry('new', 10, 3), entry('old', 10, 1), entry('middle', 10, 2)], 15);
    expect(names(plan.remove)).toEqual(['old', 'middle']);
    expect(plan.remainingBytes).toBe(10);
  });

  it('is never what a world uses, however old it is', () => {
    const plan = planPrune([entry('old', 10, 1, ['default']), entry('new', 10, 2)], 0);
    expect(names(plan.remove)).toEqual(['new']);
    expect(plan.remainingBytes).toBe(10);
  });

  it('leaves nothing out that would be needed to fit, and nothing used in', () => {
    const some = fc.array(fc.tuple(fc.nat(100), fc.integer({ min: 1, max: 28 }), fc.boolean()));
    fc.assert(
      fc.property(some, fc.nat(500), (facts, maxBytes) => {
        const entries = facts.map(([bytes, day, used], i) => entry(`e${i}`, bytes, day, used ? ['w'] : []));
        const { remove, remainingBytes } = planPrune(entries, maxBytes);
        const stays = entries.filter((entry) => !remove.includes(entry));
        expect(remainingBytes).toBe(stays.reduce((total, kept) => total + kept.bytes, 0));
        expect(remove.every((removed) => removed.usedBy.length === 0)).toBe(true);
        if (remainingBytes > maxBytes) expect(stays.every((stay) => stay.usedBy.length > 0)).toBe(true);
      }),
    );
  });
});

describe('a cache on disk', () => {
  let dir: string;
  let host: { cacheDir: string; stateDir: string };
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'whodunit-cache-'));
    host = { cacheDir: join(dir, 'cache'), stateDir: join(dir, 'state') };
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const write = (path: string, text: string): void => {
    mkdirSync(join(dir, path, '..'), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const makeImage = (name: string, usedAtSeconds: number): string => {
    write(`cache/images/${name}/image.json`, '{}');
    utimesSync(join(dir, `cache/images/${name}/image.json`), usedAtSeconds, usedAtSeconds);
    return join(dir, `cache/images/${name}`);
  };
  const makeWorld = (state: string, name: string, record: unknown): void =>
    write(`${state}/worlds/${name}/world.json`, typeof record === 'string' ? record : JSON.stringify(record));
  const usedBy = (name: string): string[] =>
    listCache(host).find((listed) => listed.name === name)?.usedBy ?? ['not listed'];

  it('says which world lies over an image', () => {
    const image = makeImage('aaa', 1000);
    makeImage('bbb', 1000);
    makeWorld('state', 'default', { image: { dir: image } });
    expect([usedBy('aaa'), usedBy('bbb')]).toEqual([['default'], []]);
  });

  it('knows the worlds of other state folders that share it', () => {
    const image = makeImage('aaa', 1000);
    const other = join(dir, 'other');
    noteImageUser({ stateDir: other }, image);
    expect(usedBy('aaa')).toEqual([]);
    makeWorld('other', 'v1', { image: { dir: image } });
    expect(usedBy('aaa')).toEqual([`v1 (${other})`]);
  });

  it('keeps every image that a world with a broken record may lie over', () => {
    const image = makeImage('aaa', 1000);
    noteImageUser(host, image);
    makeWorld('state', 'default', '{"image": {"di');
    expect(usedBy('aaa')).toEqual(['default']);
  });

  it('takes the time of the last use, not of the making', () => {
    makeImage('aaa', 5_000);
    expect(listCache(host)[0]?.lastUsedAt).toBe('1970-01-01T01:23:20.000Z');
  });

  it('loses what is not used, what lies beside it too, and nothing in a dry run', async () => {
    write('cache/rootfs/sid-1.tar', 'x');
    write('cache/rootfs/sid-1.tar.log', 'x');
    write('cache/rootfs/sid-1.tar.json', '{}');
    makeWorld('state', 'default', { image: { dir: makeImage('aaa', 1000) } });
    const dry = await pruneCache(host, { maxBytes: 0, dryRun: true });
    expect(names(dry.removed)).toContain('sid-1');
    expect(existsSync(join(dir, 'cache/rootfs/sid-1.tar'))).toBe(true);
    await pruneCache(host, { maxBytes: 0, dryRun: false });
    expect(listCache(host).map(({ name }) => name)).toEqual(['aaa']);
    expect(readdirSync(join(dir, 'cache/rootfs'))).toEqual([]);
  });

  it('keeps what another lab uses or makes, until that lab has ended, however it ends', async () => {
    const locks = (name: string) => entryLockPaths(host.cacheDir, makeImage(name, 1000));
    const [used, made, free] = [locks('aaa').use, locks('bbb').make, locks('ccc').use];
    mkdirSync(join(used, '..'));
    const lab = spawn('flock', ['--shared', used, 'flock', made, 'sh', '-c', 'echo ready; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await once(lab.stdout, 'data');
    const dry = await pruneCache(host, { maxBytes: 0, dryRun: true });
    expect(existsSync(free)).toBe(false);
    const { removed } = await pruneCache(host, { maxBytes: 0, dryRun: false });
    expect([names(dry.removed), names(removed)]).toEqual([['ccc'], ['ccc']]);
    process.kill(-lab.pid!, 'SIGKILL');
    // Its last process has ended, too: each of them has the lock.
    await once(lab, 'close');
    expect(names((await pruneCache(host, { maxBytes: 0, dryRun: false })).removed)).toEqual(['aaa', 'bbb']);
  });

  it('does not list what a lab is still making', () => {
    write('cache/images/.bake-1-abc/root/x', 'x');
    write('cache/rootfs/sid-1.tar.77.tmp', 'x');
    expect(listCache(host)).toEqual([]);
  });
});
