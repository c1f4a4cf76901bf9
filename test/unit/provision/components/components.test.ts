import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  compareVersions,
  getComponent,
  listSources,
  parseComponents,
  resolveVersion,
} from '../../../../lab/model/components/components.ts';
import { ConfigError } from '../../../../lab/model/errors/errors.ts';
import { flattenInputs } from '../../../../lab/model/components/inputs.ts';
import { ensureEntry, explainMiss, type Making } from '../../../../provision/cache/entry.ts';
import { componentKind, writeComponentRecord } from '../../../../provision/components/component-record.ts';
import { readComponents } from '../../../../provision/components/components.ts';
import { digestGoFolder } from '../../../../provision/components/digest.ts';
import {
  chooseGo,
  defaultProgramName,
  fillTemplate,
  planInputs,
  type EntryInputs,
} from '../../../../provision/components/inputs.ts';
import { createQuietHost } from '../../../quiet-host.ts';
import { PROJECT } from '../../project-files.ts';

const projectDir = PROJECT;
const shipped = readComponents(projectDir);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'components-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const catalogueText = (source: string): string => `
formatVersion: 1
debian: { archive: 'http://mirror.test/debian/', security: 'http://mirror.test/debian-security/' }
components:
  thing: { about: a thing, versions: { '1.0': 1.0.0 }, sources: [${source}] }
`;
const catalogue = (source: string) => parseComponents(catalogueText(source));
const etcdSource = (go: string) =>
  `{ kind: gomod, module: example.org/m, go: ${go}, binaries: { thing: cmd/thing } }`;
const inputsOf = (go: string, version = '1.0.0') => {
  const source = catalogue(etcdSource(go)).components['thing']?.sources[0];
  if (source === undefined) throw new Error('the test catalogue has no source');
  return planInputs('thing', version, source);
};

const entryKey = (inputs: EntryInputs): string => componentKind('', inputs).nameOf(flattenInputs(inputs));

describe('the catalogue', () => {
  it('resolves short names, exact versions and, where allowed, versions that it does not list', () => {
    expect(resolveVersion(shipped, 'kubernetes')).toBe('1.34.2');
    expect(resolveVersion(shipped, 'kubernetes', '1.34')).toBe('1.34.2');
    expect(resolveVersion(shipped, 'kubernetes', '1.29.14')).toBe('1.29.14');
    expect(() => resolveVersion(shipped, 'kubernetes', '1.29')).toThrow('kubernetes has no version "1.29"');
    expect(() => resolveVersion(shipped, 'provider-libvirt', '0.9.0')).toThrow('has no version');
    expect(() => resolveVersion(shipped, 'kubernetes', '1.29.14/../..')).toThrow('has no version');
    expect(() => resolveVersion(shipped, 'kubernetes', 'constructor')).toThrow('has no version');
  });

  it('takes a release from the sources in whose range it is, and refuses one in no range', () => {
    const modules = (version: string) =>
      listSources(getComponent(shipped, 'containerd'), version).map((source) =>
        source.kind === 'gomod' ? source.module : source.kind,
      );
    expect(modules('1.7.27')).toEqual(['release', 'github.com/containerd/containerd']);
    expect(modules('2.0.0')).toEqual(['release', 'github.com/containerd/containerd/v2']);
    expect(resolveVersion(shipped, 'containerd', '1.5.0')).toBe('1.5.0');
    expect(() => resolveVersion(shipped, 'containerd', '1.4.13')).toThrow(
      expect.objectContaining({ lastSeen: expect.stringContaining('(1.5.0 to the newest)') as string }),
    );
  });

  it('takes the package of the suite for `apt` alone, and a local build from its files alone', () => {
    const kinds = (version: string) =>
      listSources(getComponent(shipped, 'gvisor'), version).map((source) => source.kind);
    expect(kinds('apt')).toEqual(['apt']);
    expect(kinds('20230927004350-cbd86285d259')).toEqual(['gomod']);
    expect(kinds('file:./out/runsc')).toEqual(['file']);
  });

  it('keeps the path of a local build and makes the release in it exact', () => {
    expect(resolveVersion(shipped, 'gvisor', 'file:./out/runsc')).toBe('file:./out/runsc');
    expect(resolveVersion(shipped, 'kubernetes', '1.34@file:./kubelet')).toBe('1.34.2@file:./kubelet');
  });

  it.each([
    ['gvisor', '20230927@file:./runsc', 'file:./runsc'],
    ['kubernetes', 'file:./kubelet', '1.34.2@file:./kubelet'],
    ['etcd', 'file:./etcd', 'kind file'],
  ])('refuses a local build of %s written as %s and says how it is written', (name, version, advice) => {
    expect(() => resolveVersion(shipped, name, version)).toThrow(
      expect.objectContaining({ tryNext: expect.stringContaining(advice) as string, exitCode: 2 }),
    );
  });

  it('refuses a node component, a cluster or a short name whose version no source has', () => {
    const text = `${catalogueText('{ kind: gomod, module: example.test/m, below: 1.0.0, go: 1.26.8, binaries: { m: "" } }')}
nodeComponents: { thing: '2.0' }
clusters: [{ kubernetes: '1.34', components: { thin: 1.0.0 } }]
`;
    expect(() => parseComponents(text)).toThrow(
      /nodeComponents\.thing: expected a version of thing.*components: expected the name of a component.*"thing".*versions\.1\.0: expected a version that one of its sources has/s,
    );
  });

  it('tells the nearest name of an unknown component', () => {
    expect(() => resolveVersion(shipped, 'kubernets')).toThrow(
      expect.objectContaining({
        tryNext: expect.stringContaining('"kubernetes"') as string,
        exitCode: 2,
      }),
    );
  });

  it('reports all problems of a broken file at once', () => {
    const text = catalogueText('{ kind: gomod, modul: x, go: latest, binaries: {} }').replace(
      'formatVersion: 1',
      'formatVersion: 2',
    );
    let problems: string[] = [];
    try {
      parseComponents(text);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems = error.problems.map((problem) => problem.path);
    }
    expect(problems).toEqual(
      expect.arrayContaining([
        'formatVersion',
        'components.thing.sources.0.modul',
        'components.thing.sources.0.go',
      ]),
    );
  });

  it.each(['/pkg', '../pkg', 'pkg/..', ''])('refuses "%s" as the package of a generated file', (into) => {
    const source = etcdSource('1.26.8').replace(' }', ` }, openapi: { program: cmd/thing, into: '${into}' }`);
    expect(() => catalogue(source)).toThrow(/openapi\.into: expected .*relative to its root/);
  });

  it('refuses text that is not YAML with the line', () => {
    expect(() => parseComponents('a: [1,\nb: }')).toThrow('components.yaml:2:1: expected ');
  });

  it('needs a program or members of an archive for each download, not both', () => {
    const source = `{ kind: release, downloads: [{ url: 'https://x/y', checksum: '{url}.sha256', binary: a, members: { a: b } }] }`;
    expect(() => catalogue(source)).toThrow('exactly one of binary and members');
  });

  it.each(['url', 'checksum'])('takes a download and its checksum over HTTPS alone: %s', (field) => {
    const download = {
      url: 'https://x/y',
      checksum: 'https://x/y.sha256',
      binary: 'a',
      [field]: 'http://x/y',
    };
    const source = JSON.stringify({ kind: 'release', downloads: [download] });
    expect(() => catalogue(source)).toThrow(`downloads.0.${field}: expected an https URL template`);
  });

  it('names a release of gVisor by its date, which only a download has, and a commit by its time', () => {
    const kinds = (version: string) =>
      listSources(getComponent(shipped, 'gvisor'), version).map((source) => source.kind);
    expect(resolveVersion(shipped, 'gvisor', '20260817.0')).toBe('20260817.0');
    expect(kinds('20260817.0')).toEqual(['release']);
    expect(kinds('20231202080848-1f7806d17489')).toEqual(['gomod']);
  });

  it.each([
    ['1.1.15', ['-X main.version={version}']],
    ['1.2.9', ['-X main.version={version}']],
    ['1.3.0', []],
  ])('stamps its version into a build of runc %s where its own file does not', (version, ldflags) => {
    const sources = listSources(getComponent(shipped, 'runc'), version);
    expect(sources.find(({ kind }) => kind === 'gomod')).toMatchObject({ ldflags });
  });
});

describe('the inputs of a cache entry', () => {
  it('fill version numbers into templates and leave other braces alone', () => {
    expect(fillTemplate('v0.{minor}.{patch} {version} {other}', '1.34.2')).toBe('v0.34.2 1.34.2 {other}');
  });

  it('choose the Go of its time for old releases', () => {
    const choice = [{ below: '1.24', go: '1.18.10' }, { go: '1.26.8' }];
    expect(chooseGo(choice, '1.22.17')).toBe('1.18.10');
    expect(chooseGo(choice, '1.24.0')).toBe('1.26.8');
  });

  it('give another key when an input changes, and the same when only the order of the file does', () => {
    expect(entryKey(inputsOf('1.26.8'))).not.toBe(entryKey(inputsOf('1.26.7')));
    const { module, ...rest } = {
      module: 'm',
      kind: 'gomod' as const,
      moduleVersion: 'v1',
      go: '1.26.8',
      binaries: {},
      ldflags: [],
    };
    expect(entryKey(planInputs('a', '1', { ...rest, module }))).toBe(
      entryKey(planInputs('a', '1', { module, ...rest })),
    );
  });

  it('do not change with the other releases that a source has, nor with what stands in for theirs', () => {
    const { source } = inputsOf('1.26.8');
    if (source.kind !== 'gomod') throw new Error('the test catalogue has no module');
    const ranged = { ...source, from: '0.9.0', below: '2.0.0', standIns: { '1.1.0': { m: 'v1' } } };
    expect(entryKey(planInputs('thing', '1.0.0', ranged))).toBe(entryKey(inputsOf('1.26.8')));
    const own = { ...source, standIns: { '1.0.0': { m: 'v1' } } };
    expect(entryKey(planInputs('thing', '1.0.0', own))).not.toBe(entryKey(inputsOf('1.26.8')));
  });

  it('name a file that is generated for releases that lack it alone, and not which ones those are', () => {
    const { source } = inputsOf('1.26.8');
    if (source.kind !== 'gomod') throw new Error('the test catalogue has no module');
    const key = (openapi: { from?: string; below?: string }) =>
      entryKey(
        planInputs('thing', '1.0.0', { ...source, openapi: { ...openapi, program: 'cmd/a', into: 'pkg/b' } }),
      );
    expect(key({ below: '1.0.0' })).toBe(entryKey(inputsOf('1.26.8')));
    expect(key({ from: '1.0.1' })).toBe(entryKey(inputsOf('1.26.8')));
    expect(key({ below: '1.0.1' })).not.toBe(entryKey(inputsOf('1.26.8')));
    expect(key({ below: '1.0.1' })).toBe(key({ from: '0.1.0', below: '2.0.0' }));
  });

  it('generate the definitions of Kubernetes for releases before 1.24', () => {
    const lacks = (version: string) =>
      listSources(getComponent(shipped, 'kubernetes'), version).some((listed) => {
        const { source } = planInputs('kubernetes', version, listed);
        return source.kind === 'gomod' && source.openapi !== undefined;
      });
    expect(['1.22.17', '1.23.0', '1.24.0', '1.34.2'].map(lacks)).toEqual([true, true, false, false]);
  });

  it('expects programs under the names that go build gives them', () => {
    expect(defaultProgramName('go.etcd.io/etcd/server/v3')).toBe('server');
    expect(defaultProgramName('k8s.io/kubernetes/cmd/kubelet')).toBe('kubelet');
  });

  it('compare versions by number', () => {
    expect(compareVersions('1.9.0', '1.10')).toBeLessThan(0);
    expect(compareVersions('1.24', '1.24.0')).toBe(0);
  });
});

describe('an entry of a component', () => {
  const store = (go: string, content = 'program') => {
    const host = createQuietHost(folder);
    const kind = componentKind(host.cacheDir, inputsOf(go));
    const make = async ({ out }: Making): Promise<void> => {
      mkdirSync(out);
      writeFileSync(join(out, 'thing'), content);
      await writeComponentRecord(out, inputsOf(go), { go });
    };
    return ensureEntry(host, { kind, inputs: flattenInputs(inputsOf(go)), make });
  };
  const why = (go: string, version?: string) => {
    const inputs = inputsOf(go, version);
    return explainMiss(componentKind(join(folder, 'cache'), inputs), flattenInputs(inputs));
  };

  it('is whole: files, digest and the record of its inputs', async () => {
    const artifact = await store('1.26.8');
    expect(artifact).toMatchObject({ component: 'thing', version: '1.0.0', source: 'gomod' });
    expect(readFileSync(artifact.files['thing'] ?? '', 'utf8')).toBe('program');
    const record: unknown = JSON.parse(
      readFileSync(join(artifact.files['thing'] ?? '', '..', 'component.json'), 'utf8'),
    );
    expect(record).toMatchObject({ inputs: { source: { go: '1.26.8' } }, facts: { go: '1.26.8' } });
  });

  it('is compared with those of its version alone: another one changes every template with it', async () => {
    await store('1.26.8');
    expect(why('1.26.9')).toBe('source.go was 1.26.8, is 1.26.9');
    expect(why('1.26.9', '1.1.0')).toBe('there is none in the cache');
  });

  it('with a program cut short is damaged, and made again', async () => {
    const { files } = await store('1.26.8');
    writeFileSync(files['thing'] ?? '', 'cut');
    expect(why('1.26.8')).toBe('the component thing 1.0.0 in the cache is damaged');
    const again = await store('1.26.8', 'new');
    expect(readFileSync(again.files['thing'] ?? '', 'utf8')).toBe('new');
  });
});

describe('the digest of a Go folder', () => {
  it('changes with the programs and not with their tests', async () => {
    writeFileSync(join(folder, 'main.go'), 'package main');
    const before = await digestGoFolder(folder);
    writeFileSync(join(folder, 'main_test.go'), 'package main');
    expect(await digestGoFolder(folder)).toBe(before);
    writeFileSync(join(folder, 'main.go'), 'package main // changed');
    expect(await digestGoFolder(folder)).not.toBe(before);
  });
});
