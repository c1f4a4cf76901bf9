import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Where Debian's package `chromium` puts it. */
const PROGRAM = '/usr/bin/chromium';

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
  return chromium.launch({ executablePath: PROGRAM, args });
}
