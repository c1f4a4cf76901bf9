import { HostError } from '../../lab/model/errors/errors.ts';
import type { ImageArtifact } from '../../lab/model/components/image.ts';
import type { ContainerImageConfig } from './oci-tar.ts';

/** Name of the image that carries the scenarios' programs; never pulled, always preloaded. */
export const WORKLOADS_IMAGE = 'whodunit.local/workloads:1';
/** The same programs in an image that wants to be stopped as systemd does, by SIGRTMIN+3. */
export const STOP_SIGNAL_IMAGE = 'whodunit.local/workloads:1-stop-signal';

/** A container image to assemble: which programs go where. */
export interface ContainerImagePlan {
  readonly name: string;
  /** Path inside the image (no leading slash) to the host's file. */
  readonly programs: Readonly<Record<string, string>>;
  /** kube-proxy programs the packet filter with the guest's own iptables, so these come from the guest root. */
  readonly withIptables: boolean;
  readonly config: ContainerImageConfig;
}

/** Programs that every image needs, whatever else its spec says. */
const REQUIRED_PROGRAMS = [
  'kubelet',
  'kubeadm',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'etcd',
  'coredns',
  'bridge',
  'host-local',
  'loopback',
  'portmap',
  'pause',
] as const;

/** Component whose programs, apart from `pause`, make the workloads image. */
const WORKLOADS_COMPONENT = 'workloads';

/** Returns the host path of every program by name. Throws HostError LAB_IMAGE_INPUT that names all missing ones. */
export function collectPrograms(artifacts: readonly ImageArtifact[]): ReadonlyMap<string, string> {
  const programs = new Map<string, string>();
  for (const artifact of artifacts) {
    for (const [name, path] of Object.entries(artifact.files)) programs.set(name, path);
  }
  const missing = REQUIRED_PROGRAMS.filter((name) => !programs.has(name));
  if (missing.length > 0) {
    throw new HostError('LAB_IMAGE_INPUT', `no component provides ${missing.join(', ')}`, {
      lastSeen: `components given: ${artifacts.map((a) => `${a.component} ${a.version}`).join(', ') || 'none'}`,
      tryNext: 'add the component to components.yaml',
    });
  }
  return programs;
}

/** Parses `kubeadm config images list`: one image name a line, in the order kubeadm prints them. */
export function parseImageList(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^[\w.-]+(\/[\w.-]+)+:[\w.-]+$/.test(line));
}

/** Returns the pause image among the expected ones; containerd must use the same as kubeadm. */
export function getPauseImage(expected: readonly string[]): string {
  const image = expected.find((name) => baseName(name) === 'pause');
  if (image === undefined) throw unexpectedList(expected);
  return image;
}

/**
 * Plans the control-plane images under exactly the names this kubeadm expects, and the workloads image.
 *
 * @throws HostError LAB_IMAGE_INPUT for an image that we have no program for, or an etcd of another minor release.
 */
export function planContainerImages(
  expected: readonly string[],
  artifacts: readonly ImageArtifact[],
): { images: ContainerImagePlan[]; notes: string[] } {
  const programs = collectPrograms(artifacts);
  const notes: string[] = [];
  const images = expected.map((name) => {
    const program = baseName(name);
    const path = programs.get(program);
    if (path === undefined) throw unexpectedList(expected, name);
    if (program === 'etcd') notes.push(checkEtcd(name, artifacts));
    return planOne(name, program, path);
  });
  const workloads = planWorkloads(artifacts);
  const config = { ...workloads.config, stopSignal: 'SIGRTMIN+3' };
  images.push(workloads, { ...workloads, name: STOP_SIGNAL_IMAGE, config });
  return { images, notes };
}

function planOne(name: string, program: string, path: string): ContainerImagePlan {
  // CoreDNS and pause are started by their entry point; the others by the command in kubeadm's manifests.
  if (program === 'coredns' || program === 'pause') {
    const config = { entrypoint: [`/${program}`] };
    return { name, programs: { [program]: path }, withIptables: false, config };
  }
  const config = { command: [`/usr/local/bin/${program}`] };
  const withIptables = program === 'kube-proxy';
  return { name, programs: { [`usr/local/bin/${program}`]: path }, withIptables, config };
}

function planWorkloads(artifacts: readonly ImageArtifact[]): ContainerImagePlan {
  const files = artifacts.find((artifact) => artifact.component === WORKLOADS_COMPONENT)?.files ?? {};
  const programs = Object.entries(files).filter(([name]) => name !== 'pause');
  if (programs.length === 0) {
    throw new HostError(
      'LAB_IMAGE_INPUT',
      `the component "${WORKLOADS_COMPONENT}" provides no workload program`,
    );
  }
  return {
    name: WORKLOADS_IMAGE,
    programs: Object.fromEntries(programs.map(([name, path]) => [`bin/${name}`, path])),
    withIptables: false,
    config: { command: [`/bin/${programs[0]![0]}`] },
  };
}

/** kubeadm's etcd flags follow its minor release: 1.34 makes etcd 3.5 print its usage and exit. */
function checkEtcd(image: string, artifacts: readonly ImageArtifact[]): string {
  const tag = image.slice(image.lastIndexOf(':') + 1);
  const version = artifacts.find((artifact) => 'etcd' in artifact.files)?.version ?? 'unknown';
  if (minorOf(tag) !== minorOf(version)) {
    throw new HostError('LAB_IMAGE_INPUT', `kubeadm expects ${image}, but the etcd component is ${version}`, {
      lastSeen: `etcd ${minorOf(version)} does not take the flags kubeadm writes for ${minorOf(tag)}`,
      tryNext: `use an etcd ${minorOf(tag)} release`,
    });
  }
  return `${image} is etcd ${version}, tagged as kubeadm expects it`;
}

function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

function baseName(image: string): string {
  return image.slice(image.lastIndexOf('/') + 1).replace(/:.*/, '');
}

function unexpectedList(expected: readonly string[], name?: string): HostError {
  const what =
    name === undefined
      ? 'kubeadm lists no pause image'
      : `nothing builds the image ${name} that kubeadm expects`;
  return new HostError('LAB_IMAGE_INPUT', what, { lastSeen: expected.join(', ') || 'an empty list' });
}
