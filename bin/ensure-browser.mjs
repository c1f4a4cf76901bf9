/** Makes sure of the browser that opens reports in tests: Debian's package `chromium`. Users of the lab need none. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Where the package puts it. */
const PROGRAM = '/usr/bin/chromium';

/** Installs it as root or with passwordless sudo. Without it the tests fail, and say which line to run. */
export function ensureBrowser() {
  if (existsSync(PROGRAM)) return;
  const prefix = process.geteuid?.() === 0 ? [] : ['sudo', '-n'];
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium'];
  const [program, ...args] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', ...install];
  process.stdout.write(`${[...prefix, ...install].join(' ')}\n`);
  spawnSync(program, args, { stdio: 'inherit' });
}
