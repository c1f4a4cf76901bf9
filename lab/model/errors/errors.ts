import { ERROR_TABLE, type ErrorGroup } from './error-table.ts';
import { EXIT_CODES } from './exit-status.ts';

/**
 * The errors that a person can meet. Each answers four questions: what failed, what was last seen, what to try, and
 * which file says more. Decide by `code`, never by message text.
 */

type Groups = typeof ERROR_TABLE;

/** The code of an error, from the table. */
export type ErrorCode = { [G in keyof Groups]: keyof Groups[G]['errors'] }[keyof Groups];

/** The codes of the groups that are about the host. */
type HostErrorCode = {
  [G in keyof Groups]: Groups[G]['exit'] extends 'host' ? keyof Groups[G]['errors'] : never;
}[keyof Groups];

const STATUS_OF_CODE = Object.fromEntries(
  Object.values<ErrorGroup>(ERROR_TABLE).flatMap(({ exit, errors }) =>
    Object.keys(errors).map((code) => [code, exit]),
  ),
) as Readonly<Record<ErrorCode, ErrorGroup['exit']>>;

/** Every error code, in the order of the table. */
export const ERROR_CODES = Object.keys(STATUS_OF_CODE) as readonly ErrorCode[];

/** Details that every lab error may carry, printed in this order below the message. */
export interface ErrorDetails {
  /** The last thing seen before giving up. */
  readonly lastSeen?: string;
  /** What the reader should try next. */
  readonly tryNext?: string;
  /** File with more, relative to the working directory where possible. */
  readonly log?: string;
  readonly cause?: unknown;
}

/** Base of all errors that a person reads. The table gives `exitCode` by the code. */
export class LabError extends Error {
  readonly code: ErrorCode;
  readonly exitCode: number;
  readonly lastSeen: string | undefined;
  /** Whoever knows more of what was asked may say it where it is not said yet. */
  tryNext: string | undefined;
  readonly log: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.exitCode = EXIT_CODES[STATUS_OF_CODE[code]];
    this.lastSeen = details.lastSeen;
    this.tryNext = details.tryNext;
    this.log = details.log;
  }
}

/** Longest line of a usage error, in letters: who wrote a longer word does not recognise it by more of it. */
const MAX_USAGE_LINE = 600;

/** A line without its middle, where it is too long; what is missing is counted. */
function shortenMiddle(line: string): string {
  if (line.length <= MAX_USAGE_LINE) return line;
  return `${line.slice(0, MAX_USAGE_LINE / 2)}… (${line.length - MAX_USAGE_LINE} more) …${line.slice(-MAX_USAGE_LINE / 2)}`;
}

/** The command line is wrong (unknown verb, selector, value). Exit code 2. */
export class UsageError extends LabError {
  constructor(message: string, details: ErrorDetails = {}) {
    const lines = message.split('\n').map(shortenMiddle);
    super('LAB_USAGE', lines.join('\n'), details);
  }
}

/** One problem in a file. */
export interface ConfigProblem {
  /** File, relative to the project. */
  readonly file: string;
  /** Where the field begins, from 1 on; absent for a whole file. */
  readonly line?: number;
  readonly column?: number;
  /** Dotted path inside the file, empty for the whole file. */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
  /** Nearest valid name, when there is one. */
  readonly nearest?: string;
}

/** Makes a problem; `nearest` is left out when there is none. */
export function configProblem(
  file: string,
  path: string,
  expected: string,
  received: string,
  nearest?: string,
): ConfigProblem {
  return { file, path, expected, received, ...(nearest === undefined ? {} : { nearest }) };
}

/**
 * One or more files of the project, or of the user, are wrong. It carries every problem found; `what` is the whole that
 * is wrong, for the reader. Exit code 2.
 */
export class ConfigError extends LabError {
  readonly problems: readonly ConfigProblem[];

  constructor(
    problems: readonly ConfigProblem[],
    { what = 'the configuration', ...details }: ErrorDetails & { readonly what?: string } = {},
  ) {
    const lines = problems.slice(0, MAX_PROBLEMS).map(formatProblem);
    const more = problems.length - lines.length;
    if (more > 0) lines.push(`  and ${more} more`);
    const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
    super('LAB_CONFIG', `${count} in ${what}\n${lines.join('\n')}`, details);
    this.problems = problems;
  }
}

/** Most problems that are printed. Whoever has more repairs some and asks again. */
const MAX_PROBLEMS = 40;

/** Longest parts of a problem that are printed, in characters: the rest of the line says where to look. */
const MAX_LENGTHS = { path: 160, expected: 700, received: 120 };

/** `<file>:<line>:<column>: <path>: expected …, received … (did you mean "…"?)` */
function formatProblem(problem: ConfigProblem): string {
  const { file, line, column } = problem;
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `  ${place}: ${describeProblem(problem)}`;
}

/** A problem without its file: `<path>: expected …, received … (did you mean "…"?)` */
export function describeProblem({ path, expected, received, nearest }: ConfigProblem): string {
  const where = path === '' ? '' : `${cut(path, MAX_LENGTHS.path)}: `;
  const hint = nearest === undefined ? '' : ` (did you mean "${cut(nearest, MAX_LENGTHS.received)}"?)`;
  const [wanted, found] = [cut(expected, MAX_LENGTHS.expected), cut(received, MAX_LENGTHS.received)];
  return `${where}expected ${wanted}, received ${found}${hint}`;
}

/** A text in one line and of bounded length. What a terminal would obey is left out. */
function cut(text: string, length: number): string {
  // eslint-disable-next-line no-control-regex
  const plain = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return plain.length <= length ? plain : `${plain.slice(0, length)}…`;
}

/** The host cannot do what it should (tool missing, memory, disk, lock). Exit code 3. */
export class HostError extends LabError {
  constructor(code: HostErrorCode, message: string, details: ErrorDetails = {}) {
    super(code, message, details);
  }
}

/** Whether an error says of a saved file that it cannot be read: it is broken, or belongs to somebody else. */
export function isUnreadable(error: unknown): error is HostError {
  return error instanceof HostError && (error.code === 'LAB_STATE_FILE' || error.code === 'LAB_ACCESS');
}

/** Why a program did not succeed. The cause is decided once, in this order. */
export type CommandFailure =
  'not-found' | 'aborted' | 'timed-out' | 'killed' | 'output-too-large' | 'exit-code';

/** A program that the lab started did not succeed. Exit code 3. */
export class CommandError extends LabError {
  /** The command, quoted so that it can be pasted into a shell. */
  readonly command: string;
  readonly failure: CommandFailure;
  readonly status: number | undefined;
  readonly signal: string | undefined;
  /** The last lines of what it printed (standard error, else standard output). */
  readonly tail: string;

  constructor(
    facts: {
      command: string;
      failure: CommandFailure;
      status?: number | undefined;
      signal?: string | undefined;
      tail: string;
    },
    details: ErrorDetails = {},
  ) {
    const why: Record<CommandFailure, string> = {
      'not-found': 'is not installed',
      aborted: 'was stopped by the lab',
      'timed-out': 'timed out',
      killed: `was killed by ${facts.signal ?? 'a signal'}`,
      'output-too-large': 'printed too much',
      'exit-code': `exited with ${facts.status ?? 'an unknown status'}`,
    };
    super(
      facts.failure === 'not-found' ? 'LAB_COMMAND_NOT_FOUND' : 'LAB_COMMAND',
      `${facts.command}\n  ${why[facts.failure]}${facts.tail === '' ? '' : `\n${indent(facts.tail)}`}`,
      details,
    );
    this.command = facts.command;
    this.failure = facts.failure;
    this.status = facts.status;
    this.signal = facts.signal;
    this.tail = facts.tail;
  }
}

/** A condition did not become true in time, or became impossible. Exit code 3. */
export class ProbeTimeoutError extends LabError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('LAB_PROBE_TIMEOUT', message, details);
  }
}

/**
 * A world that the matrix declares unable to start pods failed as declared: that is neither a result nor a fault of the
 * host. `run` turns its cells into skipped ones; `up` ends with exit code 3.
 */
export class DeclaredStartFailure extends LabError {
  /** Id of the entry in `startFailures` of matrix.yaml. */
  readonly rule: string;
  readonly reason: string;
  /** Link to the source of the reason. */
  readonly source: string;
  /** What a journal of the node had to say. */
  readonly text: string;
  /** The line of the journal that says so. */
  readonly seen: string;

  constructor(facts: {
    world: string;
    rule: string;
    reason: string;
    source: string;
    text: string;
    seen: string;
  }) {
    super(
      'LAB_START_FAILURE',
      `${facts.world} cannot start pods, as declared: ${facts.reason} (rule ${facts.rule})`,
      {
        lastSeen: facts.seen,
        tryNext: `read ${facts.source}, or choose another variant`,
      },
    );
    this.rule = facts.rule;
    this.reason = facts.reason;
    this.source = facts.source;
    this.text = facts.text;
    this.seen = facts.seen;
  }
}

/** A user or a supervisor interrupted the lab. Exit code 130. */
export class InterruptedError extends LabError {
  constructor(message = 'interrupted', details: ErrorDetails = {}) {
    super('LAB_INTERRUPTED', message, details);
  }
}

/** What a person does about a bug of the lab. SUPPORT.md is a page of the clone, and of the package too. */
const REPORT_IT =
  'this is a bug in whodunit: report it with this whole text, as SUPPORT.md of the project says';

/** A bug of the lab: a state that must not exist. Exit code 70. */
export class InternalError extends LabError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('LAB_INTERNAL', message, { tryNext: REPORT_IT, ...details });
  }
}

/** Exit code of the process for a thrown value. A value that is not a LabError is a bug of the lab. */
export function exitCodeOf(error: unknown): number {
  return error instanceof LabError ? error.exitCode : EXIT_CODES.internal;
}

/** An error as a part of a sentence: its message, with what was seen last in brackets. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const seen = error instanceof LabError ? error.lastSeen : undefined;
  return seen === undefined || error.message.includes(seen) ? error.message : `${error.message} (${seen})`;
}

/** Formats an error for a person: message, then last seen, what to try and the log, one line each. */
export function formatError(error: unknown): string {
  if (!(error instanceof LabError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `error LAB_INTERNAL: ${text}\n  try: ${REPORT_IT}`;
  }
  const lines = [`error ${error.code}: ${error.message}`];
  if (error.lastSeen !== undefined) lines.push(`  last seen: ${error.lastSeen}`);
  if (error.tryNext !== undefined) lines.push(`  try: ${error.tryNext}`);
  if (error.log !== undefined) lines.push(`  log: ${error.log}`);
  return lines.join('\n');
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
