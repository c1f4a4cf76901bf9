import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

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

/** Where the host's programs go in the guest: source path to guest path (no leading slash). */
export function planGuestPrograms(programs: ReadonlyMap<string, string>): Map<string, string> {
  const plan = new Map<string, string>();
  const add = (name: string, folder: string): void => {
    const source = programs.get(name);
    if (source !== undefined) plan.set(source, `${folder}/${name}`);
  };
  for (const name of ['kubelet', 'kubeadm', 'kubectl', 'crictl']) add(name, 'usr/bin');
  for (const name of ['bridge', 'host-local', 'loopback', 'portmap']) add(name, 'opt/cni/bin');
  add('witness', 'usr/local/lib/whodunit');
  return plan;
}
