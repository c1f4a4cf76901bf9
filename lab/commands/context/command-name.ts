import { basename } from 'node:path';
import type { Environment } from '../../model/host/environment.ts';

/** How every text of the code and the docs names the program. */
const WRITTEN = 'npx whodunit';

/**
 * Returns what a person has to write before a verb: what they have written now.
 *
 * @param program the path in `process.argv[1]`.
 */
export function findCommandName(env: Environment, program: string | undefined): string {
  if (env.npm_lifecycle_event === 'lab') return 'npm run lab --';
  // npx makes a link of this name too, which nobody can write.
  if (env.npm_lifecycle_event === 'npx') return WRITTEN;
  return basename(program ?? '') === 'whodunit' ? 'whodunit' : WRITTEN;
}

/** A text for a person, in which every command begins with `name`. */
export function spellCommands(text: string, name: string): string {
  return name === WRITTEN ? text : text.replaceAll(/\bnpx whodunit(?![\w./@-])/g, name);
}
