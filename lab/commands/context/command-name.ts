import { basename } from 'node:path';
import type { Environment } from '../../model/host/environment.ts';
import { shellWord } from '../../model/text/shell.ts';

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

/** Commands that are about no project, or make one. */
const OF_NO_PROJECT = ['init', 'help', 'completion', 'version'];

const COMMAND = /\bnpx whodunit(?![\w./@-])(?: (?<verb>[a-z]+))?/g;

/**
 * Replaces the name of the program in every command of a text by `name`. A line that named its project is followed by
 * lines that name it too: without it they would be about another project, or about none.
 *
 * @param project the value of `--project`, as it was typed.
 */
export function spellCommands(text: string, name: string, project?: string): string {
  if (name === NAME_IN_TEXTS && project === undefined) return text;
  return text.replaceAll(COMMAND, (_, verb?: string) => {
    if (verb === undefined) return name;
    const isOfProject = project !== undefined && !OF_NO_PROJECT.includes(verb);
    return `${name} ${isOfProject ? `--project ${shellWord(project)} ` : ''}${verb}`;
  });
}
