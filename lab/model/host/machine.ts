import { createHash } from 'node:crypto';
import { z } from 'zod';

/** What machines a world consists of: the input of `stacks/`, saved next to the state as `machines.json`. */

/** A TCP port on 127.0.0.1. */
const portSchema = z.number().int().min(1).max(65535);

const macSchema = z.string().regex(/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/);

/**
 * The network between the nodes of one world: a multicast group on the host's loopback that every QEMU of the world
 * joins. What one node sends, all others get, as on one cable. Needs no right, no bridge and no order of starting.
 */
export const lanSchema = z.strictObject({
  /** IPv4 multicast group of this world, from `lanGroup`. */
  group: z.ipv4().startsWith('239.'),
  /** UDP port of the group, leased like the others. */
  port: portSchema,
  /**
   * The libvirt name that the addresses of cards and the machine ids are made from: that of the world, or of the one
   * whose saved memory it was made of. Absent in records of before 25 November 2026: that of the world.
   */
  identity: z.string().optional(),
});
export type Lan = z.infer<typeof lanSchema>;

/** One node of a world. All paths are absolute. */
const machineSpecSchema = z.strictObject({
  /** Name of the node inside the world: `node-1`. */
  name: z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/),
  memoryMiB: z.number().int().positive(),
  vcpus: z.number().int().positive(),
  /** Size the guest sees; at least the virtual size of the base image. */
  diskGiB: z.number().int().positive(),
  /** The base image (raw). It is read in place and never copied or written. */
  base: z.string().startsWith('/'),
  kernel: z.string().startsWith('/'),
  initrd: z.string().startsWith('/'),
  /** Words of the kernel command line. The provider sorts them: see `stacks/libvirt/kernel-command-line.ts`. */
  cmdline: z.array(z.string()),
  /** Port on 127.0.0.1 that leads to SSH of the guest. */
  sshPort: portSchema,
  /** Port on 127.0.0.1 that leads to the Kubernetes API of the guest (6443). */
  apiPort: portSchema.optional(),
  /** File that receives the serial console. */
  consoleLog: z.string().startsWith('/'),
  /** MAC address of the first network card; QEMU's own one when absent. */
  mac: macSchema.optional(),
  /** The second network card, on the world's own network; only in a world of several nodes. */
  lanMac: macSchema.optional(),
});
export type MachineSpec = z.infer<typeof machineSpecSchema>;

/** All machines of one variant and where they live. */
export const worldStackSchema = z.strictObject({
  /** Name in libvirt, from `worldLibvirtName`: of the pool, and the first part of every domain's name. */
  name: z.string().regex(/^[A-Za-z0-9.-]+$/),
  /** libvirt URI for the Terraform provider (for a session daemon with its socket). */
  providerUri: z.string().min(1),
  accelerator: z.enum(['kvm', 'tcg']),
  /** Folder that Terraform creates, fills with the overlays, and removes again. Its parent must exist. */
  poolFolder: z.string().startsWith('/'),
  /** User and group that QEMU runs as under `qemu:///system`; ignored by a session daemon. */
  uid: z.number().int().nonnegative(),
  gid: z.number().int().nonnegative(),
  /** Absent in a world of one node, which has nobody to talk to. */
  lan: lanSchema.optional(),
  nodes: z.array(machineSpecSchema).min(1),
});
export type WorldStack = z.infer<typeof worldStackSchema>;

/** Longest readable part of a variant kept in a libvirt name; socket and log paths are made from it. */
const READABLE_LENGTH = 40;

/** What the libvirt names of all labs begin with. Domains and pools with other names are never touched. */
export const LAB_PREFIX = 'whodunit-';
const OF_LAB = new RegExp(`^${LAB_PREFIX}[0-9a-f]{8}-`);

/** Returns what all libvirt names of one state folder begin with: `whodunit-<8 hex of the folder>-`. */
export function libvirtPrefix(stateDir: string): string {
  return `${LAB_PREFIX}${shortHash(stateDir, 8)}-`;
}

/** Finds the `libvirtPrefix` of a libvirt name; undefined when it is not the name of a guest or pool of some lab. */
export function findLibvirtPrefix(name: string): string | undefined {
  return OF_LAB.exec(name)?.[0];
}

/** Whether a libvirt name is that of a guest of some lab. */
export function isOfLab(name: string): boolean {
  return findLibvirtPrefix(name) !== undefined;
}

/**
 * Finds the state folder that a libvirt name was made for: the one among the folders above these paths, or among the
 * paths, whose hash the name bears. A prefix cannot be turned back into a folder.
 *
 * @param prefix from `libvirtPrefix`.
 * @param paths absolute, of files that a domain or pool of that name uses.
 */
export function findStateFolder(prefix: string, paths: readonly string[]): string | undefined {
  return paths.flatMap(listUpwards).find((folder) => libvirtPrefix(folder) === prefix);
}

/** A path and all folders above it, without the root. */
function listUpwards(path: string): string[] {
  const names = path.split('/').slice(1);
  return names.map((_, above) => `/${names.slice(0, names.length - above).join('/')}`);
}

/**
 * Returns the libvirt name of a world: the prefix and the variant. Characters that libvirt or a file name would not
 * take are replaced; a hash of the original then keeps the name unique.
 */
export function worldLibvirtName(stateDir: string, variant: string): string {
  const readable = variant.replaceAll(/[^A-Za-z0-9.-]/g, '-').slice(0, READABLE_LENGTH);
  const unique = readable === variant ? readable : `${readable}-${shortHash(variant, 6)}`;
  return `${libvirtPrefix(stateDir)}${unique}`;
}

/** Returns the libvirt name of a node's domain. */
export function domainName(worldLibvirtName: string, node: string): string {
  return `${worldLibvirtName}-${node}`;
}

/** Name of a node's disk in the pool of its world, which is also its file in the folder of the pool. */
export function diskName(node: string): string {
  return `${node}.qcow2`;
}

/**
 * Returns the multicast group of a world, in the range that no router passes on (239.0.0.0/8, RFC 2365). It comes from
 * the libvirt name, so that two worlds do not hear each other even when one takes a port that a parked one still means
 * to use.
 */
export function lanGroup(worldLibvirtName: string): string {
  const [a = 0, b = 0, c = 0] = createHash('sha256').update(`lan ${worldLibvirtName}`).digest();
  return `239.${a}.${b}.${c}`;
}

/** Returns the MAC address of a node's first (1) or second (2) network card: locally administered, unique. */
export function nodeMac(worldLibvirtName: string, nodeIndex: number, card: 1 | 2): string {
  const world = shortHash(`mac ${worldLibvirtName}`, 4);
  const node = (nodeIndex + 1).toString(16).padStart(2, '0');
  return `52:54:0${card}:${world.slice(0, 2)}:${world.slice(2)}:${node}`;
}

/** Returns a machine id (32 hex digits) for a node: the image's own would be the same on every node of a world. */
export function machineId(worldLibvirtName: string, node: string): string {
  return shortHash(`machine-id ${domainName(worldLibvirtName, node)}`, 32);
}

function shortHash(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
