import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { RUNC_UNDER_TEST, RUNC_UNDER_TEST_PATH } from '../../lab/model/components/under-test.ts';

/** A file of the guest; `path` has no leading slash. */
export interface GuestFile {
  readonly path: string;
  readonly text: string;
}

/** Reads the static guest files of `provision/guest/files`, sorted by path. */
export function readGuestFiles(folder: string): GuestFile[] {
  const files: GuestFile[] = [];
  const visit = (current: string): void => {
    for (const name of readdirSync(current).sort()) {
      const path = join(current, name);
      if (statSync(path).isDirectory()) visit(path);
      else files.push({ path: relative(folder, path), text: readFileSync(path, 'utf8') });
    }
  };
  visit(folder);
  return files;
}

/** Fills in the one placeholder guest files have: `@PAUSE_IMAGE@`, which containerd and kubeadm must agree on. */
export function renderGuestFiles(files: readonly GuestFile[], pauseImage: string): GuestFile[] {
  return files.map((file) => ({ path: file.path, text: file.text.replaceAll('@PAUSE_IMAGE@', pauseImage) }));
}

/** Writes guest files below a folder. */
export function writeGuestFiles(folder: string, files: readonly GuestFile[]): void {
  for (const file of files) {
    const path = join(folder, file.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.text);
  }
}

/** Where each program goes in the guest (no leading slash): the place its Debian package would use, where it has one. */
const GUEST_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'usr/bin': [
    'kubelet',
    'kubeadm',
    'kubectl',
    'crictl',
    'containerd',
    'containerd-shim-runc-v2',
    'ctr',
    'crun',
  ],
  'usr/sbin': ['runc'],
  'usr/local/bin': ['youki', 'runsc', 'containerd-shim-runsc-v1'],
  'opt/cni/bin': ['bridge', 'host-local', 'loopback', 'portmap'],
  'usr/local/lib/whodunit': ['witness'],
};

/** Program to place in the guest, without a leading slash. */
const GUEST_PLACES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(GUEST_FOLDERS).flatMap(([folder, names]) =>
    names.map((name): [string, string] => [name, `${folder}/${name}`]),
  ),
  [RUNC_UNDER_TEST, RUNC_UNDER_TEST_PATH.slice(1)],
]);

/** Where the host's programs go in the guest: source path to guest path (no leading slash). */
export function planGuestPrograms(programs: ReadonlyMap<string, string>): Map<string, string> {
  const plan = new Map<string, string>();
  for (const [name, place] of GUEST_PLACES) {
    const source = programs.get(name);
    if (source !== undefined) plan.set(source, place);
  }
  return plan;
}

/** Debian packages of every guest whose programs are replaced when a component brings the named one. */
const REPLACED_PACKAGES: Readonly<Record<string, string>> = { containerd: 'containerd', runc: 'runc' };

/**
 * Names the packages whose programs give way to a component's, so that only one containerd or runc is in the guest.
 * The packages stay installed for their units and files, and the root file system stays shared.
 */
export function planReplacedPackages(programs: ReadonlyMap<string, string>): string[] {
  return Object.entries(REPLACED_PACKAGES).flatMap(([program, name]) =>
    programs.has(program) ? [name] : [],
  );
}
