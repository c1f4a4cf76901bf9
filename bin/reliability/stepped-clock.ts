import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Debian's package libfaketime. */
const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

/** A clock of the host that a command sees, and that can be set; that of the host itself stays as it is. */
export interface SteppedClock {
  /** The environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock forward, or back if negative. */
  step(seconds: number): void;
}

/**
 * Opens such a clock by libfaketime. It takes the place of the C library's clocks but for the monotonic one, which
 * nobody can set on a host either.
 *
 * @param folder where the file is from which the library reads its offset.
 */
export function openSteppedClock(folder: string): SteppedClock {
  if (!existsSync(LIBRARY)) throw new Error(`${LIBRARY} is missing: apt-get install libfaketime`);
  const file = join(folder, 'clock');
  const step = (seconds: number): void =>
    writeFileSync(file, `${seconds < 0 ? '' : '+'}${String(seconds)}\n`);
  step(0);
  return {
    env: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    step,
  };
}
