import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defaultProgramName } from '../../provision/components/inputs.ts';
import { PROOF_STATUS } from '../../lab/world/host/boot-sector.ts';
import { IPTABLES_TAR } from '../../provision/image/packages.ts';
import { packTar } from '../pack-tar.ts';
import type { Call } from './call.ts';
import type { BaseImage } from './guest-body.ts';

const KUBERNETES = '1.34.2';

/** What programs of the image print: what `matrix.yaml` and `components.yaml` promise of the default variant. */
const VERSIONS: Readonly<Record<string, string>> = {
  kernel: '6.1.0-42-cloud-amd64',
  kubeadm: KUBERNETES,
  kubelet: KUBERNETES,
  systemd: '252',
  containerd: '1.6.20',
  runc: '1.1.5+ds1',
  crictl: '1.26.1',
};

const IMAGES = [
  ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'].map(
    (name) => `registry.k8s.io/${name}:v${KUBERNETES}`,
  ),
  'registry.k8s.io/coredns/coredns:v1.12.1',
  'registry.k8s.io/pause:3.10.1',
  'registry.k8s.io/etcd:3.6.5-0',
];

/** Go: it writes programs, of which only kubeadm is ever run on the host. */
export async function buildPrograms(call: Call): Promise<number> {
  const { args, cwd } = call;
  const [verb, kind] = args;
  if (verb === 'version') return (call.print('go version go1.26.8 linux/amd64'), 0);
  await call.moment(`${verb ?? ''}: begun`);
  if (verb === 'mod' && kind === 'download') {
    const folder = join(cwd, 'downloaded');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'go.mod'), 'module m\n');
    call.print(JSON.stringify({ Dir: folder, GoMod: join(folder, 'go.mod'), Sum: 'h1:stand-in' }));
  } else if (verb === 'mod') call.print('{"Go":"1.22"}');
  else if (verb === 'build') {
    const target = args.indexOf('-o') + 1;
    for (const path of args.slice(target + 1)) {
      const name = defaultProgramName(path);
      const text =
        name === 'kubeadm' ? `#!/bin/sh\nprintf '%s\\n' ${IMAGES.join(' ')}\n` : `program ${name}\n`;
      writeFileSync(join(args[target] ?? '', name), text.slice(0, 5), { mode: 0o755 });
      await call.moment('build: half a program');
      writeFileSync(join(args[target] ?? '', name), text, { mode: 0o755 });
    }
  }
  await call.moment(`${verb ?? ''}: done`);
  return 0;
}

/** mmdebstrap: a tar with iptables in it, which an image needs. */
export async function makeRootFilesystem(call: Call): Promise<number> {
  const target = call.args.find((word) => basename(word) === 'out') ?? '';
  const tar = await packTar({
    [IPTABLES_TAR]: await packTar({ 'usr/sbin/xtables-nft-multi': Buffer.from('iptables') }),
  });
  await call.moment('begun');
  writeFileSync(target, tar.subarray(0, 600));
  await call.moment('half a tar');
  writeFileSync(target, tar);
  await call.moment('done');
  return 0;
}

/** A namespace in which `bake.sh` runs: the files that it leaves. */
export async function bakeDisk(call: Call): Promise<number> {
  const script = call.args.findIndex((word) => basename(word) === 'bake.sh');
  const work = call.args[script + 1] ?? '';
  const out = join(work, 'out');
  await call.moment('bake: begun');
  mkdirSync(join(work, 'root'));
  mkdirSync(join(work, 'new-store'), { recursive: true });
  writeFileSync(join(work, 'new-store', 'blobs'), 'images');
  const loaded = [...IMAGES, 'whodunit.local/workloads:1', 'whodunit.local/workloads:1-stop-signal'];
  writeFileSync(join(work, 'images'), `${loaded.join('\n')}\n`);
  const lines = Object.entries(VERSIONS).map(([name, version]) => `${name}\t${version}\n`);
  writeFileSync(join(work, 'versions'), lines.join(''));
  await call.moment('bake: store filled');
  for (const name of ['vmlinuz', 'initrd.img']) writeFileSync(join(out, name), name);
  const base: BaseImage = {
    hostKey: readFileSync(join(work, 'ssh_host_ed25519_key'), 'utf8'),
    versions: VERSIONS,
  };
  const text = JSON.stringify(base);
  writeFileSync(join(out, 'base.raw'), text.slice(0, 50));
  await call.moment('bake: half a disk');
  writeFileSync(join(out, 'base.raw'), text);
  await call.moment('bake: done');
  return 0;
}

/** QEMU that gets the payload of the proof through. */
export async function bootProof(call: Call): Promise<number> {
  await call.moment('proof');
  return PROOF_STATUS;
}
