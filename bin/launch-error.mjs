/** How an error is printed before the program is there to do it. Node built-ins only. */

/** As lab/model/files/format-version.ts has it: a unit test compares them. */
export const LAUNCH_FORMAT_VERSION = 1;

/** Exit codes before the program is there, as lab/model/errors/exit-status.ts has them: a unit test compares them. */
export const LAUNCH_EXIT_CODES = { usage: 2, host: 3, interrupted: 130 };

/**
 * Prints an error on standard error, and with `--json` on standard output too, as docs/schemas/error.schema.json says.
 *
 * @param {import('./bootstrap.mjs').BootstrapError} error
 * @param {readonly string[]} words
 */
export function printLaunchError(error, words) {
  const { code, text, lastSeen, tryNext, exitCode } = error;
  if (words.includes('--json')) {
    const described = { code, exitCode, message: text, lastSeen, tryNext };
    process.stdout.write(
      `${JSON.stringify({ formatVersion: LAUNCH_FORMAT_VERSION, error: described }, null, 2)}\n`,
    );
  }
  process.stderr.write(`${error.message}\n`);
}
