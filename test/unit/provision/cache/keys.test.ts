/**
 * Names that entries bear in caches of today, each worked out before the caches shared one room. One that changes makes
 * every lab build again what it has: that has to be meant.
 * The two of components changed with builder 2, which takes the Go that a module names.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ComponentSource } from '../../../../lab/model/components/components.ts';
import type { Host } from '../../../../lab/model/host/host.ts';
import { digestInputs, flattenInputs } from '../../../../lab/model/components/inputs.ts';
import { componentKind } from '../../../../provision/components/component-record.ts';
import { planInputs } from '../../../../provision/components/inputs.ts';
import { imageKind } from '../../../../provision/layers/image-kind.ts';
import { rootFilesystemKey, rootFilesystemKind } from '../../../../provision/layers/root-filesystem.ts';
import { collectStoreInputs, storeKind } from '../../../../provision/layers/store.ts';
import { createQuietHost } from '../../../quiet-host.ts';

/** Files of the project that decide what is in a root file system and a store. */
const RECIPE = [
  'prepare-initramfs.sh',
  'collect-iptables.sh',
  'preload.sh',
  'container-images.ts',
  'oci-tar.ts',
  'iptables-layer.ts',
];

let host: Host;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-keys-'));
  host = createQuietHost(folder);
  const recipe = join(folder, 'provision', 'image');
  mkdirSync(recipe, { recursive: true });
  for (const name of RECIPE) writeFileSync(join(recipe, name), `text of ${name}\n`);
});
afterEach(() => rmSync(host.projectDir, { recursive: true, force: true }));

const artifact = (component: string) => ({
  component,
  version: '1.0.0',
  source: 'gomod',
  digest: 'dd',
  files: {},
});

describe('names in caches of today', () => {
  it.each<[string, string, ComponentSource, string | undefined, string]>([
    [
      'thing',
      '1.0.0+mark',
      {
        kind: 'gomod',
        module: 'example.org/m',
        moduleVersion: 'v{version}',
        go: [{ below: '1.1.0', go: '1.18.10' }, { go: '1.26.8' }],
        binaries: { thing: 'cmd/thing', other: '' },
        ldflags: ['-X main.version={version}'],
        from: '0.1.0',
      },
      undefined,
      'thing-1.0.0-mark-94a47683c5d9',
    ],
    [
      'w',
      '1.0.0',
      { kind: 'local', folder: 'f', go: '1.26.8', binaries: { w: '' }, ldflags: [] },
      'aa',
      'w-1.0.0-aa526d0ff254',
    ],
  ])('find the component %s %s', (component, version, source, content, name) => {
    const inputs = planInputs(component, version, source, content);
    expect(componentKind('/cache', inputs).nameOf(flattenInputs(inputs))).toBe(name);
  });

  it('find an image', () => {
    const inputs = { suite: 'bookworm', kubernetes: '1.34.2', 'component etcd': '3.6.5 aa' };
    expect(digestInputs(inputs)).toBe('3b402bb5bc5d1bc45d382b5d13e2df4e5dd0d3b9887f86451aad17d653cd7226');
    expect(imageKind('/cache').nameOf(inputs)).toBe('3b402bb5bc5d');
  });

  it('find a root file system and a store', () => {
    const rootfs = rootFilesystemKey(host, 'trixie', ['bash', 'runc']);
    expect(rootfs).toBe('c8c4d035a676d5ba324db6f168e43d356f5b6f70d260d6901f0dc91cfa05a7ad');
    const kind = rootFilesystemKind(host, 'trixie', ['bash', 'runc']);
    expect(kind.nameOf({})).toBe('trixie-c8c4d035a676.tar');
    const artifacts = ['kubernetes', 'runc', 'containerd'].map(artifact);
    const debian = { archive: 'http://mirror.test/debian', security: 'http://mirror.test/debian-security' };
    const inputs = collectStoreInputs(
      host,
      { suite: 'trixie', debian, kubernetes: '1.34.2', artifacts },
      rootfs,
    );
    expect(storeKind(host.cacheDir).nameOf(inputs)).toBe('5d9c07bccea5');
  });
});
