import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import type { ImageArtifact } from '../../../../lab/model/components/image.ts';
import {
  getPauseImage,
  parseImageList,
  planContainerImages,
  STOP_SIGNAL_IMAGE,
  WORKLOADS_IMAGE,
} from '../../../../provision/image/container-images.ts';
import { buildImageTar, buildLayer, type LayerEntry } from '../../../../provision/image/oci-tar.ts';

interface Member {
  readonly name: string;
  readonly type: string;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly linkname: string;
  readonly content: Buffer;
}

async function readTar(tar: Buffer): Promise<Member[]> {
  const members: Member[] = [];
  for await (const entry of Readable.from([tar]).pipe(extract())) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const { name, type, mode, mtime, linkname } = entry.header;
    members.push({
      name: name.replace(/\/$/, ''),
      type: type ?? '',
      mode: mode ?? 0,
      mtimeMs: mtime?.getTime() ?? -1,
      linkname: linkname ?? '',
      content: Buffer.concat(chunks),
    });
  }
  return members;
}

const eater: LayerEntry = { kind: 'file', path: 'bin/eater', mode: 0o755, content: Buffer.from('#!eater') };
const link: LayerEntry = { kind: 'symlink', path: 'usr/sbin/iptables', target: '/usr/sbin/multi' };

describe('container image tar', () => {
  it('gives the same bytes whatever the order of the entries', async () => {
    const one = await buildImageTar('lab/x:1', { command: ['/bin/eater'] }, [eater, link]);
    const two = await buildImageTar('lab/x:1', { command: ['/bin/eater'] }, [link, eater]);
    expect(one.equals(two)).toBe(true);
  });

  it('names the layer and the configuration by their digests, so that containerd accepts it', async () => {
    const members = await readTar(await buildImageTar('lab/x:1', { entrypoint: ['/bin/eater'] }, [eater]));
    const byName = new Map(members.map((member) => [member.name, member.content]));
    const manifest = JSON.parse(byName.get('manifest.json')!.toString()) as {
      Config: string;
      RepoTags: string[];
      Layers: string[];
    }[];
    const { Config, RepoTags, Layers } = manifest[0]!;
    const config = byName.get(Config)!;
    const layerDigest = createHash('sha256').update(byName.get(Layers[0]!)!).digest('hex');
    expect(RepoTags).toEqual(['lab/x:1']);
    expect(Config).toBe(`${createHash('sha256').update(config).digest('hex')}.json`);
    const parsed = JSON.parse(config.toString()) as {
      config: { Entrypoint: string[] };
      rootfs: { diff_ids: string[] };
    };
    expect(parsed.rootfs.diff_ids).toEqual([`sha256:${layerDigest}`]);
    expect(parsed.config.Entrypoint).toEqual(['/bin/eater']);
  });

  it('says by which signal a container is stopped, where it is not SIGTERM', async () => {
    const config = { command: ['/bin/eater'], stopSignal: 'SIGRTMIN+3' };
    const text = (await buildImageTar('lab/x:1', config, [eater])).toString();
    expect(text).toContain('"Cmd":["/bin/eater"],"StopSignal":"SIGRTMIN+3"}');
  });

  it('makes every folder before what lies in it, once, and keeps modes, links and no times', async () => {
    const members = await readTar(await buildLayer([link, eater, { ...eater, path: 'bin/other' }]));
    expect(members.map((m) => `${m.type} ${m.name}`)).toEqual([
      'directory bin',
      'file bin/eater',
      'file bin/other',
      'directory usr',
      'directory usr/sbin',
      'symlink usr/sbin/iptables',
    ]);
    expect(members.find((m) => m.name === 'bin/eater')).toMatchObject({
      mode: 0o755,
      content: Buffer.from('#!eater'),
    });
    expect(members.find((m) => m.type === 'symlink')?.linkname).toBe('/usr/sbin/multi');
    expect(new Set(members.map((m) => m.mtimeMs))).toEqual(new Set([0]));
  });

  it('keeps a folder mode that was asked for even when a deeper path implies the folder', async () => {
    const tmp: LayerEntry = { kind: 'folder', path: 'tmp', mode: 0o1777 };
    const members = await readTar(await buildLayer([tmp, { ...eater, path: 'tmp/eater' }]));
    expect(members.find((m) => m.name === 'tmp')?.mode).toBe(0o1777);
  });
});

const artifact = (component: string, version: string, names: readonly string[]): ImageArtifact => ({
  component,
  version,
  source: 'gomod',
  digest: 'd',
  files: Object.fromEntries(names.map((name) => [name, `/bin-of-host/${name}`])),
});
const kubernetes = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'];
const artifacts = [
  artifact('kubernetes', '1.34.2', ['kubelet', 'kubeadm', ...kubernetes]),
  artifact('etcd', '3.6.5', ['etcd']),
  artifact('coredns', '1.12.1', ['coredns']),
  artifact('cni', '1.6.2', ['bridge', 'host-local', 'loopback', 'portmap']),
  artifact('workloads', '1', ['cron', 'memory-eater', 'pause']),
];
const printed = `${kubernetes.map((name) => `registry.k8s.io/${name}:v1.34.2`).join('\n')}
registry.k8s.io/coredns/coredns:v1.12.1
registry.k8s.io/pause:3.10.1
registry.k8s.io/etcd:3.6.5-0
`;

describe('container images of a cluster', () => {
  it('carry exactly the names kubeadm printed, and the workloads', () => {
    const { images, notes } = planContainerImages(parseImageList(printed), artifacts);
    expect(images.map((image) => image.name)).toEqual([
      ...printed.trim().split('\n'),
      WORKLOADS_IMAGE,
      STOP_SIGNAL_IMAGE,
    ]);
    expect(notes).toEqual(['registry.k8s.io/etcd:3.6.5-0 is etcd 3.6.5, tagged as kubeadm expects it']);
  });

  it('give iptables to kube-proxy alone, and leave pause out of the workloads', () => {
    const { images } = planContainerImages(parseImageList(printed), artifacts);
    expect(images.filter((image) => image.withIptables).map((image) => image.name)).toEqual([
      'registry.k8s.io/kube-proxy:v1.34.2',
    ]);
    for (const image of images.slice(-2))
      expect(Object.keys(image.programs)).toEqual(['bin/cron', 'bin/memory-eater']);
    expect(images.slice(-2).map(({ config }) => config.stopSignal)).toEqual([undefined, 'SIGRTMIN+3']);
  });

  it('ignore warnings that kubeadm prints between the names', () => {
    const text = `W1120 21:00:00.000000 1 version.go:109] could not fetch a version\n${printed}`;
    expect(parseImageList(text)).toHaveLength(7);
    expect(getPauseImage(parseImageList(text))).toBe('registry.k8s.io/pause:3.10.1');
  });

  it('carry the names of old releases as well', () => {
    const old = `${kubernetes.map((name) => `k8s.gcr.io/${name}:v1.22.17`).join('\n')}
k8s.gcr.io/pause:3.5
k8s.gcr.io/etcd:3.5.0-0
k8s.gcr.io/coredns/coredns:v1.8.4
`;
    const of122 = artifacts.map((a) => (a.component === 'etcd' ? { ...a, version: '3.5.21' } : a));
    const { images, notes } = planContainerImages(parseImageList(old), of122);
    expect(images.map((image) => image.name)).toEqual([
      ...old.trim().split('\n'),
      WORKLOADS_IMAGE,
      STOP_SIGNAL_IMAGE,
    ]);
    expect(notes).toEqual(['k8s.gcr.io/etcd:3.5.0-0 is etcd 3.5.21, tagged as kubeadm expects it']);
  });

  it('refuse an etcd of another minor release, whose flags differ', () => {
    const old = artifacts.map((a) => (a.component === 'etcd' ? { ...a, version: '3.5.21' } : a));
    expect(() => planContainerImages(parseImageList(printed), old)).toThrow(
      /expects registry.k8s.io\/etcd:3.6.5-0.*3\.5\.21/,
    );
  });

  it('name every missing program at once', () => {
    const few = artifacts.filter((a) => a.component !== 'cni' && a.component !== 'coredns');
    expect(() => planContainerImages(parseImageList(printed), few)).toThrow(
      /coredns, bridge, host-local, loopback, portmap/,
    );
  });

  it('refuse an image that kubeadm expects and nothing builds', () => {
    const more = [...parseImageList(printed), 'registry.k8s.io/new-thing:v1'];
    expect(() => planContainerImages(more, artifacts)).toThrow(/nothing builds .*new-thing/);
  });
});
