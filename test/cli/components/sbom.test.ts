import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getComponent, listSources } from '../../../lab/model/components/components.ts';
import { flattenInputs } from '../../../lab/model/components/inputs.ts';
import { entryPath } from '../../../provision/cache/entry-kind.ts';
import { componentKind, writeComponentRecord } from '../../../provision/components/component-record.ts';
import { readComponents } from '../../../provision/components/components.ts';
import { goFolders } from '../../../provision/components/go.ts';
import { planInputs } from '../../../provision/components/inputs.ts';
import { digestLocalSource } from '../../../provision/components/local.ts';
import { listGuestPackages } from '../../../provision/image/packages.ts';
import { DPKG_STATUS } from '../../../provision/layers/debian-packages.ts';
import { rootFilesystemInputs, rootFilesystemKind } from '../../../provision/layers/root-filesystem.ts';
import { listSchemaErrors } from '../../cyclonedx.ts';
import { PROJECT, runCli } from '../support/run-cli.ts';

let home: string;
let cacheDir: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-sbom-'));
  cacheDir = join(home, 'cache');
});
afterAll(() => rmSync(home, { recursive: true }));

interface Sbom {
  components: { name: string; version: string; purl?: string; licenses?: object[]; components?: object[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
  compositions: { aggregate: string }[];
}
const read = (text: string): Sbom => JSON.parse(text) as Sbom;

/** Puts a root file system with one package into the cache, packed as mmdebstrap packs it. */
function cacheRootFilesystem(): void {
  const host = { projectDir: PROJECT, cacheDir };
  // Those of containerd and runc are among them.
  const packages = [...new Set([...listGuestPackages('bookworm'), 'containerd', 'runc'])].sort();
  const kind = rootFilesystemKind(host, 'bookworm', packages);
  const tar = entryPath(kind, rootFilesystemInputs(host, 'bookworm', packages));
  const status = join(home, DPKG_STATUS);
  mkdirSync(dirname(status), { recursive: true });
  mkdirSync(dirname(tar), { recursive: true });
  const fields = ['Package: tzdata', 'Status: install ok installed', 'Architecture: all', 'Version: 2026a-1'];
  writeFileSync(status, `${fields.join('\n')}\n`);
  const copyright = './usr/share/doc/tzdata/copyright';
  mkdirSync(dirname(join(home, copyright)), { recursive: true });
  writeFileSync(join(home, copyright), 'Format: 1.0\n\nFiles: *\nLicense: public-domain\n');
  execFileSync('tar', ['--create', '--file', tar, '--directory', home, DPKG_STATUS, copyright]);
}

/** Puts a program that Go has built of modules into the cache, in the place of the witness. */
async function cacheWitness(): Promise<void> {
  const version = '1';
  const [source] = listSources(getComponent(readComponents(PROJECT), 'witness'), version);
  if (source?.kind !== 'local') throw new Error('the witness is not ours');
  const inputs = planInputs(
    'witness',
    version,
    source,
    await digestLocalSource({ projectDir: PROJECT }, source),
  );
  const folder = entryPath(componentKind(cacheDir, { component: 'witness', version }), flattenInputs(inputs));
  mkdirSync(folder, { recursive: true });
  const cwd = join(PROJECT, 'provision/licenses');
  const env = { ...process.env, PATH: goFolders(process.env.PATH).join(':') };
  execFileSync('go', ['build', '-buildvcs=false', '-o', join(folder, 'witness'), '.'], { cwd, env });
  await writeComponentRecord(folder, inputs, { go: 'go version go1.26.8 linux/amd64' });
}

describe('whodunit sbom', () => {
  it('says of a guest what is in the cache, and what is not known', async () => {
    cacheRootFilesystem();
    await cacheWitness();
    const { status, stdout, stderr } = await runCli(home, ['sbom'], { WHODUNIT_CACHE: cacheDir });
    expect(stderr).toContain('not known: etcd 3.6.5 is not in the cache');
    expect(stderr).toContain('not known: the image is not in the cache');
    expect(stderr).not.toContain('witness');
    expect(stderr).not.toContain('Debian packages');
    const sbom = read(stdout);
    expect(listSchemaErrors(sbom)).toEqual([]);
    expect(sbom.compositions).toMatchObject([{ aggregate: 'incomplete' }]);
    expect(sbom.components.find(({ name }) => name === 'tzdata')).toMatchObject({
      purl: 'pkg:deb/debian/tzdata@2026a-1?arch=all&distro=bookworm',
      licenses: [{ license: { name: 'public-domain' } }],
    });
    expect(sbom.components.find(({ name }) => name === 'etcd')).toEqual({
      type: 'application',
      'bom-ref': 'etcd@3.6.5',
      name: 'etcd',
      version: '3.6.5',
      licenses: [{ license: { id: 'Apache-2.0' } }],
    });
    expect(sbom.dependencies.find(({ ref }) => ref === 'witness@1/witness')?.dependsOn).toEqual([
      'pkg:golang/whodunit/licenses',
      'pkg:golang/github.com/google/licensecheck@v0.3.1',
      'pkg:golang/golang.org/x/mod@v0.12.0',
    ]);
    expect(sbom.components.find(({ name }) => name === 'golang.org/x/mod')).toMatchObject({
      licenses: [{ license: { name: 'BSD-3-Clause' } }],
    });
    expect(stdout).toContain('licenses of Go modules: whodunit/licenses');
    expect(status).toBe(0);
  });

  it('lists the Node modules of the lab with their licenses, but for those of its development', async () => {
    const { status, stdout } = await runCli(home, ['sbom', 'lab']);
    const sbom = read(stdout);
    expect(listSchemaErrors(sbom)).toEqual([]);
    const names = sbom.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['zx', 'cdktf', 'ssh2', 'zod', 'yaml', 'esbuild', 'tsx']));
    expect(names).not.toContain('vitest');
    const unlicensed = sbom.components.filter(({ licenses }) => licenses === undefined);
    expect(unlicensed.map(({ name }) => name)).toEqual([]);
    expect(status).toBe(0);
  });

  it.each([
    [['sbom', 'os=nope'], 'os has no value "nope"'],
    [['sbom', 'lab', 'more'], 'sbom lab takes no further words, but was given "more"'],
  ])('refuses %j', async (words, said) => {
    const { status, stdout, stderr } = await runCli(home, words);
    expect(stderr).toContain(said);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
});
