import { basename } from 'node:path';
import type { Environment } from '../../model/host/environment.ts';

/** The name of the program in every text of the code and the docs. */
const NAME_IN_TEXTS = 'npx whodunit';

/**
 * Returns what a person has to type before a verb: the name by which they started this process.
 *
 * @param program the path in `process.argv[1]`.
 */
export function findCommandName(env: Environment, program: string | undefined): string {
  if (env.npm_lifecycle_event === 'lab') return 'npm run lab --';
  // npx starts a link that is called whodunit as well, but that name is not on the PATH of a person.
  if (env.npm_lifecycle_event === 'npx') return NAME_IN_TEXTS;
  return basename(program ?? '') === 'whodunit' ? 'whodunit' : NAME_IN_TEXTS;
}

/** Replaces the name of the program in every command of a text by `name`. */
export function spellCommands(text: string, name: string): string {
  return name === NAME_IN_TEXTS ? text : text.replaceAll(/\bnpx whodunit(?![\w./@-])/g, name);
}
