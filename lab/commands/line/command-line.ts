import { Command, CommanderError } from 'commander';
import { nameDiskError } from '../../model/errors/disk-error.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { EXIT_CODES, toExitCode, type ExitStatus } from '../../model/errors/exit-status.ts';
import { formatHint } from '../../model/text/nearest.ts';
import type { Context } from '../context/context.ts';
import { FLAGS, spellFlag, type FlagName, type Flags } from '../context/flags.ts';
import { readOwnVersion } from '../context/own-version.ts';
import { printAnswer } from './print-answer.ts';
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
  let status: ExitStatus = 'passed';
  const program = buildProgram(context, async (verb, given, flags) => {
    const run = await verb.load();
    try {
      const answer = await run(flags.locked === true ? { ...context, locked: true } : context, given, flags);
      printAnswer(context, answer, flags);
      status = answer.status;
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
    return EXIT_CODES.usage;
  }
  const named = first === 'help' ? words[1] : first;
  if (named !== undefined && !named.startsWith('-') && named !== 'help') getVerb(named);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return toExitCode(status);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (isHelp(error)) return EXIT_CODES.passed;
    throw explainCommander(error, words);
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

/** Commander ends with an error also after it has printed the help or the version. */
function isHelp({ code }: CommanderError): boolean {
  return ['commander.helpDisplayed', 'commander.help', 'commander.version'].includes(code);
}

/** Turns what commander refuses into our own error. */
function explainCommander({ code, message }: CommanderError, [name]: readonly string[]): UsageError {
  const verb = VERBS.find((known) => known.name === name);
  const tryNext = `npx whodunit help${verb === undefined ? '' : ` ${verb.name}`}`;
  if (code !== 'commander.unknownOption') return new UsageError(message.replace(/^error: /, ''), { tryNext });
  const flag = /'(.*)'/.exec(message)?.[1] ?? '';
  const known = ['--help', ...(verb === undefined ? [] : flagsOf(verb).map(spellFlag))];
  return new UsageError(`${verb?.name ?? 'whodunit'} has no flag "${flag}"${formatHint(flag, known)}`, {
    tryNext,
  });
}
