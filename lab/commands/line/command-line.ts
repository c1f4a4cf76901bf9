import { Command, CommanderError, Option } from 'commander';
import { refuseFileAsFolder } from '../../drivers/files/files.ts';
import { nameHostFault } from '../../drivers/files/name-host-fault.ts';
import { ConfigError, UsageError } from '../../model/errors/errors.ts';
import { throwAll } from '../../model/errors/usage-problems.ts';
import { EXIT_CODES, EXIT_MEANINGS, toExitCode, type ExitStatus } from '../../model/errors/exit-status.ts';
import { statePaths } from '../../model/host/paths.ts';
import { workDir } from '../../model/host/project-folders.ts';
import { formatHint } from '../../model/text/nearest.ts';
import type { Environment } from '../../model/host/environment.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context } from '../context/context.ts';
import { FLAGS, spellFlag, type FlagName, type Flags } from '../context/flags.ts';
import { readOwnVersion } from '../context/own-version.ts';
import { rebaseBuildPaths, mayNameBuilds } from './rebase-build-paths.ts';
import { explainCommander } from './explain-commander.ts';
import { COMPLETE_VERB } from './complete-verb.ts';
import { readFlagValue, refuseSecondValue, refuseWords } from './flag-values.ts';
import { printAnswer } from './print-answer.ts';
import { refuseEnvironment } from './refuse-environment.ts';
import { formatHelpEnd } from './help-end.ts';
import { settleFlags } from './settle-flags.ts';
import { flagsOfVerb, type Verb } from './verb.ts';
import { findSynonym, FIRST_VERBS, VERB_GROUPS, VERBS } from './verbs.ts';
import { wantsJson } from './wants-json.ts';

/** The width of an output that is not a terminal. */
const DEFAULT_COLUMNS = 80;

const helpEnd = (isWhole: boolean): string => `
A scenario is a way to kill a pod. A variant is a configuration of the cluster (cgroup version, runtime, drivers, …).
A cell is one scenario on one variant. A world is the cluster of one variant, in virtual machines on this machine.

Start here:
  npx whodunit up                              start a real cluster on this machine
  npx whodunit run oom-single-container        kill a pod
  npx whodunit why oom-single-container        see who did it, with proof

More:${isWhole ? '' : '\n  npx whodunit help --all                      all commands'}
  npx whodunit explain OOMKilled               what a word means

Exit codes:
${formatMeanings()}`;

/** The help of `--project`, which every command takes; take-project.ts removes it from the command line. */
const PROJECT_ABOUT = 'your own project (default: the nearest folder upwards with a whodunit.yaml)';

const HELP = new Command('help')
  .argument('[command]')
  .description('show the help of a command')
  .helpGroup('Help:');

function formatMeanings(): string {
  return Object.entries(EXIT_MEANINGS)
    .map(([code, means]) => `  ${code.padEnd(4)} ${means}`)
    .join('\n');
}

/**
 * Parses a command line, runs its verb and prints the answer, and with `--json` an error too. Returns the exit code.
 *
 * @param env the environment; refuseEnvironment checks it.
 * @throws UsageError for an unknown verb or flag, with the nearest name, and for an empty word, value or variable;
 *   HostError for a file that the host refuses; and what the verb throws.
 */
export async function runCommandLine(
  context: Context,
  words: readonly string[],
  env: Environment = {},
): Promise<number> {
  try {
    refuseEnvironment(env);
    if (context.projectFault !== undefined && !worksWithoutProject(words)) throw context.projectFault;
    return await runWords(context, asVerb(words));
  } catch (thrown) {
    const error = nameHostFault(thrown);
    if (wantsJson(words)) {
      const { describeError } = await import('./error-json.ts');
      context.printJson(describeError(error));
    }
    throw error;
  }
}

async function runWords(context: Context, words: readonly string[]): Promise<number> {
  let status: ExitStatus = 'passed';
  // A line with several wrong values is refused with all of them.
  const refused: UsageError[] = [];
  const program = buildProgram(
    context,
    async (verb, given, flags) => {
      throwAll(refused);
      const answer = await answerVerb(context, verb, given, flags);
      status = answer.status;
    },
    isWholeHelp(words),
    refused,
  );
  const [first] = words[0] === '--' ? words.slice(1) : words;
  if (first === undefined || isWholeHelp(words)) {
    program.outputHelp();
    if (first !== undefined) return EXIT_CODES.passed;
    return EXIT_CODES.usage;
  }
  if (first === 'help') return runHelp(context, program, words.slice(1));
  if (!first.startsWith('-')) getVerb(first);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return toExitCode(status);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (isHelp(error)) return EXIT_CODES.passed;
    throwAll(refused);
    throw await explainCommander(error, words);
  }
}

async function answerVerb(
  context: Context,
  verb: Verb,
  words: readonly string[],
  given: Flags,
): Promise<VerbAnswer> {
  refuseWords(verb, words);
  const flags = settleFlags(verb, words, given);
  refuseFileAsFolder(context.stateDir);
  refuseFileAsFolder(context.cacheDir);
  const { runs, worlds } = statePaths(context.stateDir);
  for (const folder of [runs, worlds]) refuseFileAsFolder(folder);
  const run = await verb.load();
  const asked = mayNameBuilds(verb) ? rebaseBuildPaths(words, flags, workDir(context)) : { words, flags };
  const typed = [...asked.words, ...(asked.flags.affected ?? []), ...(asked.flags.fixed ?? [])];
  const own = { ...context, typed, locked: flags.locked === true };
  try {
    const answer = await run(own, asked.words, asked.flags);
    printAnswer(context, answer, flags);
    return answer;
  } catch (error) {
    // Every refusal names a next command: at least the help of the verb.
    if (error instanceof UsageError || error instanceof ConfigError)
      error.tryNext ??= `npx whodunit help ${verb.name}`;
    throw error;
  }
}

/** Runs `whodunit help [verb]`; with `--json` it prints the table of the verbs. */
async function runHelp(context: Context, program: Command, words: readonly string[]): Promise<number> {
  const [name, ...more] = words.filter((word) => word !== '--json');
  const flag = [...(name === undefined ? [] : [name]), ...more].find((word) => word.startsWith('-'));
  if (flag !== undefined || more.length > 0)
    throw new UsageError(
      `help takes the name of one command, or --all, and --json; not "${flag ?? more.join(' ')}"`,
      {
        tryNext: 'npx whodunit help',
      },
    );
  const verb = name === undefined || name === 'help' ? undefined : getVerb(name);
  if (words.includes('--json')) {
    const { describeVerbs } = await import('./help-json.ts');
    context.printJson(describeVerbs(verb));
  } else (program.commands.find((command) => command.name() === verb?.name) ?? program).outputHelp();
  return EXIT_CODES.passed;
}

/** Returns the words with a leading `--version` or `--help` as the verb of that name, which checks the other words. */
function asVerb([first, ...more]: readonly string[]): string[] {
  if (first === '--version') return ['version', ...more];
  if ((first === '--help' || first === '-h') && more.length > 0) return ['help', ...more];
  return first === undefined ? [] : [first, ...more];
}

/** Whether a command works although the project cannot be used: these help to repair it. */
function worksWithoutProject([first = 'help']: readonly string[]): boolean {
  return ['help', '--help', '-h', '--version', 'version', 'init', 'completion'].includes(first);
}

/** Whether a person asks for the help of all verbs. */
function isWholeHelp(words: readonly string[]): boolean {
  return words.length === 2 && words[0] === 'help' && words[1] === '--all';
}

/**
 * Builds the commander program of all verbs.
 *
 * @param isWhole whether its help shows all verbs, or only FIRST_VERBS.
 * @param refused receives an error for each value that its flag does not accept.
 */
export function buildProgram(
  context: Pick<Context, 'print'>,
  run: (verb: Verb, words: readonly string[], flags: Flags) => Promise<void>,
  isWhole = false,
  refused: UsageError[] = [],
): Command {
  const program = new Command('whodunit')
    .usage('<command> [words] [flags]')
    .description('A lab that finds out who killed your pod, and proves it.')
    .version(readOwnVersion(), '--version', 'print the version')
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: (text) => context.print(text.trimEnd()), writeErr: () => undefined })
    .addHelpText('after', helpEnd(isWhole))
    .addHelpCommand(HELP)
    .helpOption('-h, --help', 'show this help')
    .option(FLAGS.project, PROJECT_ABOUT)
    .exitOverride();
  for (const [heading, verbs] of Object.entries(VERB_GROUPS))
    for (const verb of verbs) {
      const isHidden = !isWhole && !FIRST_VERBS.has(verb.name);
      addVerb(program, verb, { run, isHidden, refused }).helpGroup(`${heading}:`);
    }
  addVerb(program, COMPLETE_VERB, { run, isHidden: true, refused });
  return program;
}

function addVerb(
  program: Command,
  verb: Verb,
  {
    run,
    isHidden,
    refused,
  }: {
    readonly run: (verb: Verb, words: readonly string[], flags: Flags) => Promise<void>;
    readonly isHidden: boolean;
    readonly refused: UsageError[];
  },
): Command {
  const command = program.command(verb.name, { hidden: isHidden }).description(verb.about).exitOverride();
  if (verb.words !== undefined) command.arguments(verb.words);
  for (const name of flagsOfVerb(verb)) command.addOption(makeOption(verb, name, refused));
  if (verb.passThrough === true) command.passThroughOptions().allowUnknownOption();
  command.addHelpText('after', () =>
    formatHelpEnd(verb, command.configureOutput().getOutHelpWidth?.() ?? DEFAULT_COLUMNS),
  );
  command.action(async () => {
    // The words as they were typed: commander would split them into declared arguments.
    await run(verb, command.args, command.opts<Flags>());
  });
  return command;
}

/** Makes a flag of a verb. Its value is read during parsing; `refused` receives an error for a wrong one. */
function makeOption(verb: Verb, name: FlagName, refused: UsageError[]): Option {
  const isSwitch = verb.switches?.includes(name) === true;
  const option = new Option(isSwitch ? spellFlag(name) : FLAGS[name], verb.flags[name]);
  if (!option.required) return option;
  return option.argParser<unknown>((text, before) => {
    try {
      const value = readFlagValue(verb, name, text);
      if (option.variadic) return [...(Array.isArray(before) ? (before as unknown[]) : []), value];
      refuseSecondValue(verb, name, before, value);
      return value;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refused.push(error);
      return before;
    }
  });
}

function getVerb(name: string): Verb {
  const found = [...VERBS, COMPLETE_VERB].find((verb) => verb.name === name);
  if (found !== undefined) return found;
  const synonym = findSynonym(name);
  const names = VERBS.map((verb) => verb.name);
  const hint = synonym === undefined ? formatHint(name, names) : ` (did you mean "${synonym}"?)`;
  throw new UsageError(`unknown command "${name}"${hint}`, { tryNext: 'npx whodunit help' });
}

/** Whether this is not an error: commander also throws after it has printed the help or the version. */
function isHelp({ code }: CommanderError): boolean {
  return ['commander.helpDisplayed', 'commander.help', 'commander.version'].includes(code);
}
