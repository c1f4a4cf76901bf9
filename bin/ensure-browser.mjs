/** Makes sure of the browser that opens reports in tests: Debian's package `chromium`. Users of the lab need none. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Where the package puts it. */
const PROGRAM = '/usr/bin/chromium';
/** Waits for another apt on the host instead of failing at once. */
const OPTIONS = ['-o', 'DPkg::Lock::Timeout=120'];

/**
 * Installs it as root or with passwordless sudo. A fresh system has no lists of packages yet: they are fetched first,
 * and where that fails the installation decides. Without the browser the tests fail, and say which line to run.
 */
export function ensureBrowser() {
  if (existsSync(PROGRAM)) return;
  const prefix = process.geteuid?.() === 0 ? [] : ['sudo', '-n'];
  for (const words of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const [program, ...args] = [
      ...prefix,
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'apt-get',
      ...OPTIONS,
      ...words,
    ];
    process.stdout.write(`${[...prefix, 'apt-get', ...words].join(' ')}\n`);
    spawnSync(program, args, { stdio: 'inherit' });
  }
}
