import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { PROJECT, runProgram, type Ended } from './run-cli.ts';

/** An ordinary user, who owns nothing on this host. */
const USER = 65534;

/**
 * `sh -c ENTER sh <folder> <clone> [<kept>…] -- <program> [<word>…]`: makes a root in `<folder>/root` and runs a program in
 * it as `USER`. What is kept is bound where /usr does not have it. The clone may be below /usr. Of /etc there is only who
 * the user is.
 */
const ENTER = `
set -e
root=$1/root folder=$1 clone=$2
shift 2
bind() {
  [ ! -e "$root$1" ] || return 0
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root\${1%/*}"; : >"$root$1"; fi
  mount --rbind "$1" "$root$1"
}
mount -t tmpfs -o mode=755 tmpfs "$root"
for part in /bin /lib /lib32 /lib64 /usr; do
  if [ -L $part ]; then cp -P $part "$root/"; elif [ -d $part ]; then bind $part; fi
done
[ ! -e "$root$clone" ] || mount -t tmpfs -o mode=755 tmpfs "$root$clone"
for part in null zero random urandom; do bind /dev/$part; done
mkdir -p "$root/etc" "$root/proc" "$root/tmp" "$root$folder"
chmod 1777 "$root/tmp"
echo "somebody:x:${USER}:${USER}::$folder/home:/bin/sh" >"$root/etc/passwd"
echo "somebody:x:${USER}:" >"$root/etc/group"
mount -t proc proc "$root/proc"
while [ "$1" != -- ]; do bind "$1"; shift; done
shift
mount --bind "$folder" "$root$folder"
exec chroot --userspec=${USER}:${USER} "$root" "$@"
`;

/** A root of its own for programs that a test has installed. */
export interface CleanRoot {
  /** Who runs them has this as a home, which is empty. */
  readonly home: string;
  /** Gives a folder, which is made where it is missing, to who runs the programs. */
  give(path: string): void;
  /** Runs words in a folder. Extra environment comes on top of PATH and HOME, and there is no other. */
  run(words: readonly string[], cwd: string, env?: Readonly<Record<string, string>>): Promise<Ended>;
}

/**
 * Why no clean root can be made here; undefined when one can. Programs then run in the same folder, with the same PATH and
 * an empty home, but the clone and the rest of the host are in reach.
 */
export const NO_CLEAN_ROOT = findFault();

function findFault(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-root-'));
  try {
    mkdirSync(join(folder, 'root'));
    const tried = spawnSync('unshare', [...enter(folder, []), 'true'], { encoding: 'utf8' });
    return tried.status === 0 ? undefined : (tried.error?.message ?? tried.stderr.trim());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Makes a clean root around a folder, which is in it under the same name. Beside it there are Node, npm and what the
 * system has in /usr: no clone, no home, no cache and no settings of anybody, and no network. PATH has node, npm, npx and
 * sh only. Who runs programs there is an ordinary user.
 */
export function openCleanRoot(folder: string): CleanRoot {
  const isClean = NO_CLEAN_ROOT === undefined;
  const [home, path] = [join(folder, 'home'), join(folder, 'path')];
  for (const part of [join(folder, 'root'), home, path]) mkdirSync(part);
  chmodSync(folder, 0o755);
  const node = realpathSync(process.execPath);
  const npm = findProgram('npm');
  for (const [name, target] of Object.entries({ node, npm, npx: findProgram('npx'), sh: '/bin/sh' }))
    symlinkSync(target, join(path, name));
  const words = isClean ? ['unshare', ...enter(folder, [node, dirname(dirname(npm))])] : [];
  const give = (made: string): void => {
    mkdirSync(made, { recursive: true });
    if (isClean) execFileSync('chown', ['-R', `${USER}:${USER}`, made]);
  };
  give(home);
  return {
    home,
    give,
    run: (line, cwd, env = {}) => {
      const settings = Object.entries({ HOME: home, PATH: path, ...env }).map(
        ([name, value]) => `${name}=${value}`,
      );
      const inFolder = ['/bin/sh', '-c', 'cd "$0" && exec "$@"', cwd, ...line];
      const [program = '', ...rest] = [...words, '/usr/bin/env', '-i', ...settings, ...inFolder];
      return runProgram(program, rest);
    },
  };
}

/** The words of unshare(1) before those of a program: see `ENTER`. */
function enter(folder: string, kept: readonly string[]): string[] {
  const flags = ['--mount', '--net', '--pid', '--fork', '--kill-child'];
  return [...flags, '/bin/sh', '-c', ENTER, 'sh', folder, PROJECT, ...kept, '--'];
}

/** Where a program of PATH is, behind all links. */
function findProgram(name: string): string {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`expected ${name} in PATH`);
  return realpathSync(found);
}
