/** When the tests have to be done: `.ci/run` says so, and bin/test.mjs hands it on. Milliseconds since the epoch. */
const END = process.env['WHODUNIT_TESTS_END'];

/** Why a test is not run on a host that was too slow for all that came before. */
export const NO_TIME = 'the time that .ci/run has is used up: this host is slow';

/**
 * Whether so many minutes are left: what a test and all that come after it take on a host that emulates five times slower
 * than usual. Anybody but `.ci/run` has all the time.
 */
export function hasMinutes(minutes: number): boolean {
  return END === undefined || Number(END) - Date.now() >= minutes * 60_000;
}
