import { Command, CommanderError } from 'commander';
import { nameDiskError } from '../../model/errors/disk-error.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { formatHint } from '../../model/text/nearest.ts';
import type { Context } from '../context/context.ts';
import { FLAGS, spellFlag, type FlagName, type Flags } from '../context/flags.ts';
import { readOwnVersion } from '../context/own-version.ts';
import type { Verb } from './verb.ts';
import { VERBS } from './verbs.ts';

const HELP_END = `
Start here:
  npx whodunit up                              a real cluster on this machine
  npx whodunit run oom-single-container        kill a pod
  npx whodunit why oom-single-container        who did it, with proof

Exit codes: 0 passed, 1 some cell failed, 2 wrong words or files, 3 the host, a machine or missing evidence,
70 a bug of ours, 130 interrupted.`;

/** What the scripts of `completion` call. */
const COMPLETE: Verb = {
  name: 'complete',
  words: '<line>',
  about: 'print what may stand at the end of a command line',
  flags: {},
  examples: ["npx whodunit complete 'whodunit run oom'"],
  load: async () => (await import('./complete.ts')).runComplete,
};

/**
 * Parses a command line and runs its verb. Returns the exit code.
 *
 * @throws UsageError for an unknown verb or flag, with the nearest name; whatever the verb throws.
 */
export async function runCommandLine(context: Context, words: readonly string[]): Promise<number> {
  let status = 0;
  const program = buildProgram(context, async (verb, given, flags) => {
    const run = await verb.load();
    try {
      status = await run(flags.locked === true ? { ...context, locked: true } : context, given, flags);
    } catch (thrown) {
      const error = nameDiskError(thrown);
      if (flags.json === true) {
        const { describeError } = await import('./error-json.ts');
        context.printJson(describeError(error));
      }
      throw error;
    }
  });
  const [first] = words;
  if (first === undefined) {
    program.outputHelp();
    return 2;
  }
  const named = first === 'help' ? words[1] : first;
  if (named !== undefined && !named.startsWith('-') && named !== 'help') getVerb(named);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return explainCommander(error, words);
    throw error;
  }
}

/** Builds the commander program of all verbs. */
export function buildProgram(
  context: Pick<Context, 'print'>,
  run: (verb: Verb, words: readonly string[], flags: Flags) => Promise<void>,
): Command {
  const program = new Command('whodunit')
    .usage('<verb> [words] [flags]')
    .description('A lab that finds out who killed your pod, and proves it.')
    .version(readOwnVersion(), '--version', 'print the version')
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: (text) => context.print(text.trimEnd()), writeErr: () => undefined })
    .addHelpText('after', HELP_END)
    .exitOverride();
  for (const verb of [...VERBS, COMPLETE]) addVerb(program, verb, run);
  return program;
}

function addVerb(
  program: Command,
  verb: Verb,
  run: (verb: Verb, words: readonly string[], flags: Flags) => Promise<void>,
): void {
  const command = program
    .command(verb.name, { hidden: verb === COMPLETE })
    .description(verb.about)
    .exitOverride();
  if (verb.words !== undefined) command.arguments(verb.words);
  for (const name of flagsOf(verb)) command.option(FLAGS[name], verb.flags[name]);
  if (verb.passThrough === true) command.passThroughOptions().allowUnknownOption();
  const details = verb.details === undefined ? '' : `\n${verb.details}\n`;
  const examples = verb.examples.map((line) => `\n  ${line}`).join('');
  command.addHelpText('after', `${details}\nExamples:${examples}`);
  command.action(async () => {
    // Words as given: commander splits them into declared arguments, which a verb reads as one list.
    await run(verb, command.args, command.opts<Flags>());
  });
}

/** In the order of its declaration. */
function flagsOf(verb: Verb): FlagName[] {
  return Object.keys(verb.flags) as FlagName[];
}

function getVerb(name: string): Verb {
  const found = [...VERBS, COMPLETE].find((verb) => verb.name === name);
  if (found !== undefined) return found;
  const hint = formatHint(
    name,
    VERBS.map((verb) => verb.name),
  );
  throw new UsageError(`there is no verb "${name}"${hint}`, { tryNext: 'npx whodunit help' });
}

/** Turns what commander refuses into our own error; help is no error. */
function explainCommander(error: CommanderError, words: readonly string[]): number {
  if (error.code === 'commander.helpDisplayed' || error.code === 'commander.help') return 0;
  if (error.code === 'commander.version') return 0;
  const message = error.message.replace(/^error: /, '');
  const verb = VERBS.find((each) => each.name === words[0]);
  const tryNext = `npx whodunit help${verb === undefined ? '' : ` ${verb.name}`}`;
  const unknown = /^unknown option '(.*)'$/.exec(message)?.[1];
  if (unknown === undefined) throw new UsageError(message, { tryNext });
  const known = verb === undefined ? [] : flagsOf(verb).map(spellFlag);
  throw new UsageError(
    `${verb === undefined ? 'whodunit' : verb.name} has no flag "${unknown}"${formatHint(unknown, ['--help', ...known])}`,
    {
      tryNext,
    },
  );
}
