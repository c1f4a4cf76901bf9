import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Where Debian's package `chromium` puts it. */
const PROGRAM = '/usr/bin/chromium';

/** How long Chromium may take to start, or for one step: it only ends what hangs. Playwright's own limit is 30 s. */
export const STEP_MS = 2 * 60_000;

/**
 * Starts Debian's Chromium without a window. As root it has no sandbox: there it refuses to start with one.
 *
 * @throws Error with the line to run when it is not installed.
 */
export function startBrowser(): Promise<Browser> {
  if (!existsSync(PROGRAM))
    throw new Error(
      'there is no Chromium; run: apt-get update && apt-get install -y --no-install-recommends chromium',
    );
  const args = process.geteuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: PROGRAM, args, timeout: STEP_MS });
}
