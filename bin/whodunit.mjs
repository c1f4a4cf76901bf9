#!/usr/bin/env node
/** The command line: installs node modules when needed, then runs lab/cli.ts in this process. */
import { fileURLToPath } from 'node:url';
import { describeHostFault } from '../lab/drivers/files/host-fault.mjs';
import { BootstrapError, ensureNodeModules, ensureOpenFiles } from './bootstrap.mjs';
import { findEatenFlags } from './eaten-flags.mjs';
import { LAUNCH_EXIT_CODES, printLaunchError } from './launch-error.mjs';
import { loadProgram } from './program.mjs';

const projectDir = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const words = process.argv.slice(2);

// Whatever the umask of this shell says: what others could write, we would start or believe.
process.umask(process.umask() | 0o022);

/** Whether an error was printed: a second one of the same fault says nothing more. */
let hasEnded = false;

/** Prints an error that a person can mend; throws any other. */
function endWith(error) {
  if (hasEnded) return;
  const fault = describeHostFault(error);
  const known = fault === undefined ? error : new BootstrapError(fault.code, fault.message, fault);
  if (!(known instanceof BootstrapError)) throw error;
  hasEnded = true;
  printLaunchError(known, words);
  process.exitCode = known.exitCode;
}

/** esbuild does not catch the error of a process that cannot be started, and then waits for ever. */
function endUncaught(error) {
  endWith(error);
  process.exit();
}

process.on('uncaughtException', endUncaught);
try {
  const eaten = findEatenFlags(process.env, words);
  if (eaten !== undefined) {
    const again =
      eaten.line ?? 'the same line with `npx whodunit` in place of `npm run lab`: npx leaves flags alone';
    throw new BootstrapError('LAB_USAGE', `npm took ${eaten.flags.join(' ')} for itself`, {
      tryNext: again,
      exitCode: LAUNCH_EXIT_CODES.usage,
    });
  }
  // Throws when it was removed: programs that are started there fail in ways of their own, and esbuild waits for ever.
  process.cwd();
  ensureOpenFiles();
  await ensureNodeModules(projectDir);
  const { main } = await loadProgram(projectDir);
  process.off('uncaughtException', endUncaught); // the program has its own
  process.exitCode = await main(words);
  // The verb is done and has cleaned up. A connection to a guest that was restored or removed may never close by
  // itself. It must not keep the command alive once its output is written.
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
} catch (error) {
  endWith(error);
}
