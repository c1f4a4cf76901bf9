import type { Level } from '../killers/killers.ts';

/** What the path of a cgroup says, by the layout of kubelet and runtime. */
export interface CgroupPath {
  /**
   * `node` is the root; `qos` the cgroup of all pods, or of one class. A cgroup that a container makes below its own is
   * `container`. Undefined outside of the pods, and for a cgroup inside that is neither a pod nor a container.
   */
  readonly level: Level | undefined;
  /** As the API spells it. For a static pod it is the hash of its configuration, 32 hexadecimal digits. */
  readonly podUid: string | undefined;
  readonly containerId: string | undefined;
  /** Whether it has a container's id in its name and holds none of its processes: CRI-O's monitor. */
  readonly isHelper: boolean;
  /**
   * The path above the cgroup of all pods: empty on a plain node, `/docker/<id>/kubelet` in a node that is a container.
   */
  readonly nodePrefix: string;
  /** The path below: `/container` of crun, or what the container made itself. */
  readonly subPath: string;
  /**
   * Whether it is the cgroup of a whole container or machine container outside of all pods. That may be a node: a limit
   * there binds the whole node. A plain container looks the same.
   */
  readonly aroundNode: boolean;
}

/**
 * The cgroup of all pods: `kubepods.slice` of the systemd driver, `kubepods` of cgroupfs, below or after what
 * `--cgroup-root` says (pkg/kubelet/cm/node_container_manager_linux.go, pkg/kubelet/cm/cgroup_manager_linux.go).
 */
const ROOT = /^(?:.+-)?kubepods\.slice$|^kubepods$/;
const QOS = /^(?:.+-)?kubepods-(?:burstable|besteffort)\.slice$|^(?:burstable|besteffort)$/;
/**
 * The cgroup of a pod. systemd's names need no parents: a runtime with the cgroupfs driver makes them below its own
 * cgroup, and adds `:cri-containerd:<id>`, because the kubelet gave it runc's form for systemd.
 */
const POD =
  /^(?:(?:.+-)?kubepods(?:-burstable|-besteffort)?-pod(\w+)\.slice(?::[\w.-]+:(\w+))?|pod([\w-]+))$/;
/** The cgroup of a container: `<id>`, `cri-containerd-<id>.scope`, `crio-<id>.scope`, `docker-<id>.scope`. */
const CONTAINER = /^(?:(.*)[-_])?([0-9a-f]{64})(?:\.scope)?$/;
/** CRI-O, internal/config/conmonmgr and cgmgr. */
const MONITOR = /(?:^|-)conmon$/;
/** containerd and CRI-O without a parent from the kubelet: below their own namespace, or in a scope of their own. */
const BARE =
  /^(.*)\/(?:k8s\.io\/|(?:[\w.@-]+:)*(?:cri-containerd|crio)(-conmon)?[-:])([0-9a-f]{64})(?:\.scope)?(\/.*)?$/;
/** The cgroup of a runtime whose driver is not the kubelet's. */
const SERVICE = /\/system\.slice(?:\/[^/]+\.service)?$/;
/** Docker, Podman, LXC, LXD and Incus, systemd-nspawn, libvirt; and kind's `--cgroup-root` below. */
const AROUND =
  /^(?:.*\/)?(?:docker\/[0-9a-f]{64}|docker-[0-9a-f]{64}\.scope|libpod-[0-9a-f]{64}(?:\.scope)?(?:\/container)?|lxc(?:\.payload)?\/[^/]+(?:\/ns)?|lxc\.payload\.[^/]+|machine\.slice\/(?:machine-[^/]+\.scope|systemd-nspawn@[^/]+\.service(?:\/payload)?))(?:\/kubelet(?:\.slice)?)?(?=\/|$)/;

/** The same few paths occur again and again. */
const KNOWN = new Map<string, readonly CgroupPath[]>();
const KNOWN_LIMIT = 5000;

/**
 * Reads the path of a cgroup, of both cgroup versions and both drivers. A container of a pod may be a node with pods of
 * its own, so a path may name several pods.
 *
 * @param podUid selects the cluster of this pod; without it, or when the path does not name it, the outermost counts.
 */
export function parseCgroupPath(path: string, podUid?: string): CgroupPath {
  const layers = layersOf(path);
  const uid = spellUid(podUid ?? '');
  return layers.find((layer) => layer.podUid === uid) ?? (layers[0] as CgroupPath);
}

/** The level of a cgroup among those of pods; undefined outside of them (see `CgroupPath`). */
export function levelOf(path: string): Level | undefined {
  return parseCgroupPath(path).level;
}

/**
 * The level of a limit, as a pod knows it: that of the outermost cgroup that is its container's. A limit that a container
 * set inside of itself, for a part of it or for pods of its own, has no level. crun keeps the processes of a container in
 * `/container` below its cgroup.
 *
 * @param podUids the uids of the pod.
 */
export function levelOfLimit(path: string, podUids: readonly string[]): Level | undefined {
  const uid = podUids.find((podUid) => isOfPod(path, podUid));
  const { level, subPath } = parseCgroupPath(path, uid);
  return level === 'container' && !['', '/container'].includes(subPath) ? undefined : level;
}

/** Whether a cgroup is that of a pod, or below it. `uid` may be spelt as slices spell it. */
export function isOfPod(path: string, uid: string): boolean {
  return uid !== '' && layersOf(path).some((layer) => layer.podUid === spellUid(uid));
}

/** Whether a cgroup is that of a pod, or below it, by any of its uids. */
export function isOfPods(path: string, uids: readonly string[]): boolean {
  return uids.some((uid) => isOfPod(path, uid));
}

/** Whether a cgroup is that of a container, or below it, and holds its processes: a monitor's does not. */
export function isOfContainer(path: string, id: string): boolean {
  return id !== '' && layersOf(path).some((layer) => layer.containerId === id && !layer.isHelper);
}

/**
 * The id of the container that a cgroup is of, or is below; empty when there is none.
 *
 * @param podUids whose container; without them, or when the path names none of them, the outermost counts.
 */
export function containerIdIn(path: string, podUids: readonly string[] = []): string {
  const uid = podUids.find((podUid) => isOfPod(path, podUid));
  return parseCgroupPath(path, uid).containerId ?? '';
}

/**
 * Whether a cgroup is another one or below it. The kernel names the cgroups of a node that is a container with its place in
 * the host, which programs inside of it do not see: only what follows that place counts.
 */
export function isPartOf(path: string, above: string): boolean {
  const isBelow = (whole: string, part: string): boolean =>
    `${whole.replace(/\/$/, '')}/`.startsWith(`${part.replace(/\/$/, '')}/`);
  if (isBelow(path, above)) return true;
  const inNode = (whole: string): string => whole.slice(parseCgroupPath(whole).nodePrefix.length);
  return parseCgroupPath(above).level !== undefined && isBelow(inNode(path), inNode(above));
}

/** In the name of a slice, systemd uses `-` only between the slice and its parents. */
function spellUid(uid: string): string {
  return uid.replaceAll('_', '-');
}

/** What the path says of each cluster along it, the outermost first; at least one. */
function layersOf(path: string): readonly CgroupPath[] {
  const known = KNOWN.get(path);
  if (known !== undefined) return known;
  const layers = readLayers(path);
  if (KNOWN.size >= KNOWN_LIMIT) KNOWN.clear();
  KNOWN.set(path, layers);
  return layers;
}

function readLayers(path: string): CgroupPath[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  const layers: CgroupPath[] = [];
  let from = 0;
  while (from < segments.length) {
    const layer = readLayer(segments, from);
    if (layer === undefined) break;
    layers.push(layer.path);
    from = layer.end;
  }
  return layers.length > 0 ? layers : [outside(path)];
}

function readLayer(
  segments: readonly string[],
  from: number,
): { readonly path: CgroupPath; readonly end: number } | undefined {
  const isStart = (segment: string): boolean =>
    ROOT.test(segment) || (segment.includes('kubepods-') && isSlice(segment));
  const start = segments.findIndex((segment, index) => index >= from && isStart(segment));
  if (start < 0) return undefined;
  let end = start;
  let level: Level | undefined;
  if (ROOT.test(segments[end] ?? '')) {
    level = 'qos';
    end += 1;
  }
  if (QOS.test(segments[end] ?? '')) {
    level = 'qos';
    end += 1;
  }
  const [pod, slice, inline, plain] = POD.exec(segments[end] ?? '') ?? [];
  let containerId: string | undefined;
  let isHelper = false;
  if (pod !== undefined) {
    level = 'pod';
    end += 1;
    const [scope, owner = '', id] = CONTAINER.exec(segments[end] ?? '') ?? [];
    if (inline === undefined && scope !== undefined) end += 1;
    containerId = inline ?? id;
    isHelper = inline === undefined && MONITOR.test(owner);
    if (containerId !== undefined) level = isHelper ? undefined : 'container';
  }
  const rest = segments.slice(end);
  const uid = slice ?? plain;
  const above = start === 0 ? '' : `/${segments.slice(0, start).join('/')}`;
  return {
    end,
    path: {
      // A cgroup below a pod, or below all pods, that is not a container has no level.
      level: rest.length > 0 && containerId === undefined ? undefined : level,
      podUid: uid === undefined ? undefined : spellUid(uid),
      containerId,
      isHelper,
      nodePrefix: ROOT.test(segments[start] ?? '') ? above : above.replace(SERVICE, ''),
      subPath: rest.length === 0 ? '' : `/${rest.join('/')}`,
      aroundNode: false,
    },
  };
}

/** systemd's names say where they belong without their parents. */
function isSlice(segment: string): boolean {
  return segment.includes('.slice') && (QOS.test(segment) || POD.test(segment));
}

/** A path without any pod. */
function outside(path: string): CgroupPath {
  const around = AROUND.exec(path)?.[0];
  const [bare, prefix = '', monitor, containerId, below] = BARE.exec(path) ?? [];
  const isHelper = monitor !== undefined;
  const isRoot = path === '' || path === '/';
  return {
    level: isRoot ? 'node' : bare === undefined || isHelper ? undefined : 'container',
    podUid: undefined,
    containerId,
    isHelper,
    nodePrefix: around ?? prefix.replace(SERVICE, ''),
    subPath: below ?? (bare === undefined && around !== undefined ? path.slice(around.length) : ''),
    aroundNode: around === path,
  };
}
