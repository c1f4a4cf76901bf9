import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cachePaths } from '../../../../lab/model/host/paths.ts';
import { findOwnPrograms } from '../../../../lab/world/oracle/own-programs.ts';
import { findMade, writeComponentRecord } from '../../../../provision/components/component-record.ts';

let cacheDir: string;
let digest = '';

const VERSION = 'git:runc@tree:0123456789ab';

beforeAll(async () => {
  cacheDir = mkdtempSync(join(tmpdir(), 'own-programs-'));
  const folder = join(cachePaths(cacheDir).components, 'runc-git-runc-tree-0123456789ab-aaaaaaaaaaaa');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'runc'), 'a build of my own');
  writeFileSync(join(folder, 'recvtty'), 'another one, which no node has');
  const source = {
    kind: 'gomod',
    module: 'example.org/runc',
    moduleVersion: 'v1.1.12',
    go: '1.20.14',
    binaries: {},
  };
  await writeComponentRecord(
    folder,
    { builder: 2, component: 'runc', version: VERSION, platform: 'linux/amd64', source } as never,
    {},
  );
  digest = findMade(folder)?.digest ?? '';
});

afterAll(() => {
  rmSync(cacheDir, { recursive: true });
});

it.each<[string, (digest: string) => string, string[]]>([
  ['a checkout', (known) => `${VERSION} ${known}`, ['runc']],
  ['a file', (known) => `file:runc@sha256:0123456789ab ${known}`, ['runc']],
  ['a release, which says its version', (known) => `1.1.12 ${known}`, []],
  ['a build that is not in the cache', () => `${VERSION} ffff`, []],
])('finds the programs of %s', (_, value, names) => {
  const found = findOwnPrograms(cacheDir, { 'component runc': value(digest), suite: '"bookworm"' });
  expect(Object.keys(found)).toEqual(names);
  for (const sha256 of Object.values(found)) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
});

it('finds those of a runc beside that of the node, by the name that it has there', () => {
  const inputs = { 'component runc': 'apt 1', 'component runc-under-test': `${VERSION} ${digest}` };
  const node = findOwnPrograms(cacheDir, { 'component runc': `${VERSION} ${digest}` });
  expect(findOwnPrograms(cacheDir, inputs)).toEqual({ 'runc-under-test': node['runc'] });
});
