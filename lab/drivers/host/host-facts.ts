import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { arch, availableParallelism, cpus, homedir, release, totalmem, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Environment } from '../../model/host/environment.ts';
import { findKvmDevice, type KvmDevice } from './kvm-device.ts';
import { readAvailableMemoryMiB } from './memory.ts';
import { isProgramRunning } from '../processes/processes.ts';
import { findOpenFilesLimit } from './open-files.mjs';

/** What the host checks look at besides programs; an interface, so that a test can describe another host. */
export interface HostFacts {
  readonly nodeVersion: string;
  readonly userName: string;
  /** Where programs of this user keep their configuration: $XDG_CONFIG_HOME, else ~/.config. */
  readonly configFolder: string;
  /** `vmx` (Intel) or `svm` (AMD) when the CPU offers virtualisation. */
  findCpuFlag(): 'vmx' | 'svm' | undefined;
  /** /dev/kvm; undefined when there is none. */
  findKvmDevice(): KvmDevice | undefined;
  /** Group id of a name in /etc/group. */
  findGroupId(name: string): number | undefined;
  /** Absolute path of a program on PATH or in the sbin folders, which normal users lack on PATH. */
  findTool(name: string): string | undefined;
  fileExists(path: string): boolean;
  /** Whether a program of this name runs, whoever started it. */
  isProgramRunning(name: string): boolean;
  /** Memory that is available now without swapping, in MiB; never more than the limit of our own cgroup leaves. */
  availableMemoryMiB(): number;
  /** Free disk for this user where a path is or would be, in MiB. */
  freeDiskMiB(path: string): number;
  /** Files that may still be made where a path is or would be; undefined where the file system has no such limit. */
  freeInodes(path: string): number | undefined;
  /** Files and connections that this process may have open at once. */
  openFilesLimit(): number;
  /** Number of subordinate ids (/etc/subuid, /etc/subgid) of this user. */
  countSubordinateIds(file: '/etc/subuid' | '/etc/subgid'): number;
}

const MIB = 1024 * 1024;
const SBIN = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Reads the facts of this host, each at the time of the call. */
export function readHostFacts(env: Environment = process.env): HostFacts {
  const user = findUserName(env);
  return {
    nodeVersion: process.versions.node,
    userName: user,
    configFolder: findConfigFolder(env),
    findCpuFlag: () => parseCpuFlag(readOrEmpty('/proc/cpuinfo')),
    findKvmDevice: () => findKvmDevice(),
    findGroupId: (name) => {
      const id = readOrEmpty('/etc/group')
        .split('\n')
        .find((line) => line.startsWith(`${name}:`))
        ?.split(':')[2];
      return id === undefined ? undefined : Number(id);
    },
    findTool: (name) => findTool(name, env.PATH ?? ''),
    fileExists: existsSync,
    isProgramRunning,
    availableMemoryMiB: readAvailableMemoryMiB,
    freeDiskMiB,
    freeInodes,
    openFilesLimit: findOpenFilesLimit,
    countSubordinateIds: (file) => countSubordinateIds(readOrEmpty(file), user, process.getuid?.() ?? 0),
  };
}

/** Describes the host for a run's result: what another person needs to judge the times in it. */
export function describeHost(): Record<string, string | number> {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cpus: cpus().length,
    memoryMiB: Math.round(totalmem() / MIB),
    kernel: release(),
    arch: arch(),
    node: process.versions.node,
  };
}

/** Number of CPUs that this process may use (its affinity counts). */
export function countCpus(): number {
  return availableParallelism();
}

/** Finds the virtualisation flag in the text of /proc/cpuinfo. */
export function parseCpuFlag(cpuinfo: string): 'vmx' | 'svm' | undefined {
  const flags = new Set(/^flags\s*:(.*)$/m.exec(cpuinfo)?.[1]?.trim().split(/\s+/));
  if (flags.has('vmx')) return 'vmx';
  return flags.has('svm') ? 'svm' : undefined;
}

/** Adds up a user's ranges in the text of /etc/subuid or /etc/subgid (subuid(5): name or uid, start, count). */
export function countSubordinateIds(text: string, userName: string, uid: number): number {
  return text
    .split('\n')
    .map((line) => line.trim().split(':'))
    .filter(([owner]) => owner === userName || owner === String(uid))
    .reduce((total, [, , count]) => total + (Number(count) || 0), 0);
}

/** Finds a program the way a shell does, then in further folders: the sbin ones unless others are given. */
export function findTool(name: string, path: string, further: readonly string[] = SBIN): string | undefined {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), ...further];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Whether a file is there that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // missing, or this user may not run it
  }
}

function freeDiskMiB(path: string): number {
  const { bavail, bsize } = statfsSync(nearestFolder(path));
  return Math.floor((bavail * bsize) / MIB);
}

/** File systems that make inodes as they need them, such as btrfs, say that they have none at all (statfs(2)). */
function freeInodes(path: string): number | undefined {
  const { files, ffree } = statfsSync(nearestFolder(path));
  return files === 0 ? undefined : ffree;
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

function findUserName(env: Environment): string {
  try {
    return userInfo().username;
  } catch {
    return env.USER ?? ''; // a uid without an entry in /etc/passwd, as in some containers
  }
}

/** As g_get_user_config_dir of GLib, which libvirt asks: an empty variable counts as none. */
function findConfigFolder(env: Environment): string {
  const given = env.XDG_CONFIG_HOME ?? '';
  return given === '' ? join(homedir(), '.config') : given;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // this kernel does not have it, or we may not read it: the callers treat it as "nothing known"
  }
}
