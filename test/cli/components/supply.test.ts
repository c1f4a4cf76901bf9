import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockResult } from '../../../lab/model/saved/answers.ts';
import { parseLock, type Locked } from '../../../lab/model/components/component-lock.ts';
import { getComponent, listSources, parseComponents } from '../../../lab/model/components/components.ts';
import { planInputs } from '../../../provision/components/inputs.ts';
import { startHttpsServer, type HttpsServer } from '../../https-server.ts';
import { copyProject, type ProjectCopy } from '../support/project-copy.ts';
import { runProgram, type Ended } from '../support/run-cli.ts';

/** What a cell on the default variant downloads, and OpenTofu. */
const NEEDED = ['cni-plugins', 'coredns', 'crictl', 'etcd', 'kubernetes', 'opentofu'];
const CELL = 'plain-exit';

let folder: string;
let server: HttpsServer;
let project: ProjectCopy;

/** Runs the command line of the copy, which trusts the server, and whose Go reaches nobody. */
const run = (...words: string[]): Promise<Ended> =>
  runProgram(process.execPath, [join(project.dir, 'bin/whodunit.mjs'), ...words], {
    npm_lifecycle_event: undefined,
    WHODUNIT_HOME: project.home,
    WHODUNIT_CACHE: undefined,
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    GOPROXY: 'off',
    GOMODCACHE: join(folder, 'modules'),
  });
const lockFile = (): string => join(project.dir, 'components.lock.yaml');
const readLocked = (): Locked[] => parseLock(readFileSync(lockFile(), 'utf8'), 'lock');
const digestOf = (url: string): string => createHash('sha256').update(url).digest('hex');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-supply-'));
  server = await startHttpsServer();
  writeFileSync(join(folder, 'ca.pem'), server.ca);
  project = copyProject(folder);
  const text = readFileSync(join(project.dir, 'components.yaml'), 'utf8');
  project.change('components.yaml', text.replaceAll('https://', `${server.url('/')}`));
  publishChecksums();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves the checksums of what is needed, and none of the files: a lock needs no more. */
function publishChecksums(): void {
  const catalogue = parseComponents(readFileSync(join(project.dir, 'components.yaml'), 'utf8'));
  const versions: Readonly<Record<string, string>> = Object.assign(
    { kubernetes: '1.34.2', opentofu: '1.10.6' },
    catalogue.nodeComponents,
    catalogue.clusters.find(({ kubernetes }) => kubernetes === '1.34')?.components,
  );
  for (const name of NEEDED) {
    const version = versions[name] ?? '';
    for (const source of listSources(getComponent(catalogue, name), version)) {
      const filled = planInputs(name, version, source).source;
      if (filled.kind !== 'release') continue;
      for (const { url, checksum } of filled.downloads)
        server.answers.set(new URL(checksum ?? '').pathname, (_request, response) =>
          response.end(`${digestOf(url)}  ${posix.basename(url)}\n`),
        );
    }
  }
}

it('refuses --locked before anything is made, naming all that the lock lacks', async () => {
  rmSync(project.home, { recursive: true, force: true });
  const { status, stderr } = await run('up', '--locked');
  expect(status).toBe(3);
  expect(stderr).toContain('error LAB_COMPONENT_UNLOCKED: components.lock.yaml does not have ');
  for (const name of NEEDED.filter((component) => component !== 'opentofu'))
    expect(stderr).toContain(` ${name} `);
  expect(stderr).not.toContain('witness');
  expect(existsSync(project.home)).toBe(false);
});

it('names what no source could be locked of, and would add the rest', async () => {
  const { status, stdout } = await run('lock', CELL, 'kubernetes=1.34.1', '--dry-run', '--json');
  expect(status).toBe(3);
  const { added, lacking } = JSON.parse(stdout) as LockResult;
  expect(added.map(({ component }) => component).sort()).toEqual(
    NEEDED.filter((component) => component !== 'kubernetes'),
  );
  expect(lacking).toMatchObject([{ component: 'kubernetes', version: '1.34.1' }]);
  expect(lacking[0]?.why).toMatch(
    /^release: no published checksum from .*HTTP 404; gomod: Go does not resolve/,
  );
  expect(existsSync(lockFile())).toBe(false);
});

describe('a lock of what a cell needs', () => {
  let locked: Ended;
  beforeAll(async () => {
    locked = await run('lock', CELL);
  });
  afterAll(() => rmSync(lockFile()));

  it('has the published checksums', () => {
    const { status, stdout } = locked;
    const [first] = stdout.split('\n');
    expect({ status, first }).toEqual({ status: 0, first: `${lockFile()}: added 12, kept 0` });
    const entries = readLocked();
    expect([...new Set(entries.map(({ component }) => component))].sort()).toEqual(NEEDED);
    for (const entry of entries)
      expect(entry.source === 'release' && entry.digest).toBe(
        `sha256:${digestOf(entry.source === 'release' ? entry.url : '')}`,
      );
  });

  it('keeps what it has, asking nobody', async () => {
    const before = readFileSync(lockFile(), 'utf8');
    server.requests.length = 0;
    const { stdout } = await run('lock', CELL, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ added: [], kept: 12, lacking: [] });
    expect(readFileSync(lockFile(), 'utf8')).toBe(before);
    expect(server.requests).toEqual([]);
  });
});
