import { UsageError } from '../../model/errors/errors.ts';
import { MAX_REPEATS } from '../../model/limits/max-repeats.ts';
import { MAX_SHARDS } from '../../model/limits/max-shards.ts';
import { parseSize, SIZE_FORMS } from '../../model/text/parse-size.ts';
import { parseEvidenceRule } from '../../plan/shards/evidence-rule.ts';
import { parseLanes } from '../../plan/worlds/parse-lanes.ts';
import { spellFlag, type FlagName, type NumberFlag } from '../context/flags.ts';
import type { Verb } from './verb.ts';

/** More worlds than any host can run at once. */
const MAX_PARALLEL = 999;

/** More attempts than a pod has that crashes every ten seconds for a year. */
const MAX_ATTEMPT = 9_999_999;

/** A week: no CI system or scheduler lets a task run longer. */
const MAX_MINUTES = 7 * 24 * 60;

/** More cells than any plan has. */
const MAX_SAMPLE = 999_999;

/** The name of a namespace: a DNS label (RFC 1123). */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The forms of `--output`. */
export const OUTPUTS = ['json', 'name', 'wide'] as const;

const MINUTES = {
  accepts: `whole minutes from 1 to ${MAX_MINUTES}`,
  read: (text: string) => readCount(text, MAX_MINUTES),
};

const SAMPLE_COUNT = {
  accepts: `a whole number from 1 to ${MAX_SAMPLE}`,
  read: (text: string) => readCount(text, MAX_SAMPLE),
};

/** The flags with a number: what they accept, in words, and how a text is read; undefined for any other text. */
const NUMBER_FORMS: Readonly<
  Record<NumberFlag, { readonly accepts: string; read: (text: string) => number | undefined }>
> = {
  parallel: {
    accepts: `a whole number from 1 to ${MAX_PARALLEL}`,
    read: (text) => readCount(text, MAX_PARALLEL),
  },
  repeat: {
    accepts: `a whole number from 1 to ${MAX_REPEATS}`,
    read: (text) => readCount(text, MAX_REPEATS),
  },
  maxSize: { accepts: `a size: ${SIZE_FORMS}`, read: parseSize },
  attempt: {
    accepts: 'a whole number from 0: the first container of that name is 0',
    read: (text) => (text === '0' ? 0 : readCount(text, MAX_ATTEMPT)),
  },
  shards: {
    accepts: `a whole number from 1 to ${MAX_SHARDS}`,
    read: (text) => readCount(text, MAX_SHARDS),
  },
  maxMinutes: MINUTES,
  minutes: MINUTES,
  sample: SAMPLE_COUNT,
  sampleWorlds: SAMPLE_COUNT,
  budget: { accepts: `a time such as 90m or 1h30m, from 1s to ${MAX_MINUTES / 60}h`, read: parseBudget },
  year: {
    accepts: 'a year from 2000 to 2100',
    read: (text) => (/^20\d\d$|^2100$/.test(text) ? Number(text) : undefined),
  },
};

/** Reads a time as people write it (`1h30m`), in seconds; undefined for any other text, and above MAX_MINUTES. */
function parseBudget(text: string): number | undefined {
  const [, hours = 0, minutes = 0, seconds = 0] =
    /^(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s)?$/.exec(text) ?? [];
  const all = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return all > 0 && all <= MAX_MINUTES * 60 ? all : undefined;
}

/** Flags with the name of a file or folder that is written at the end. */
const WRITTEN_PATHS: readonly FlagName[] = ['save', 'record', 'out'];

/** The programs that may read the exit code of a run. */
export const EXIT_CODE_READERS = ['git-bisect'];

/** What a flag with a text accepts. */
interface TextForm {
  /** In words. */
  readonly accepts: string;
  readonly matches: (text: string) => boolean;
}

const oneOf = (known: readonly string[]): TextForm => ({
  accepts: known.join(', '),
  matches: (text) => known.includes(text),
});

/** The flags that accept only certain texts. */
const TEXT_FORMS: Partial<Record<FlagName, TextForm>> = {
  output: oneOf(OUTPUTS),
  exitFor: oneOf(EXIT_CODE_READERS),
  debugNamespace: { accepts: 'the name of a namespace', matches: (text) => NAMESPACE.test(text) },
};

/** The flags whose value a parser checks: it throws a UsageError for a wrong one. */
const PARSERS: Partial<Record<FlagName, (text: string) => unknown>> = {
  keepEvidence: parseEvidenceRule,
  lanes: parseLanes,
};

/**
 * Reads the value of a flag, whichever verb has it.
 *
 * @throws UsageError when it is empty, or not what the flag takes.
 */
export function readFlagValue(verb: Verb, name: FlagName, text: string): string | number {
  const flag = spellFlag(name);
  if (isEmpty(text)) throw refuseEmpty(`${flag} of ${verb.name} has an empty value`, verb);
  if (text.length > MAX_WORD) throw refuseLong(`the value of ${flag}`, text, verb);
  const refuse = (accepts: string): UsageError =>
    new UsageError(`${flag} takes ${accepts}`, { tryNext: `npx whodunit help ${verb.name}` });
  if (WRITTEN_PATHS.includes(name) && text === '-')
    throw refuse('the name of a file or folder, and cannot be standard output (-)');
  PARSERS[name]?.(text);
  if (!isNumberFlag(name)) {
    const form = TEXT_FORMS[name];
    if (form === undefined || form.matches(text)) return text;
    throw refuse(`${form.accepts}, not "${text}"`);
  }
  const { accepts, read } = NUMBER_FORMS[name];
  const value = read(text);
  if (value !== undefined) return value;
  throw refuse(`${accepts}, not "${text}"`);
}

/**
 * Refuses a second value of a flag that takes one, because nobody knows which of the two was meant.
 *
 * @throws UsageError
 */
export function refuseSecondValue(verb: Verb, name: FlagName, before: unknown, value: string | number): void {
  if ((typeof before !== 'string' && typeof before !== 'number') || before === value) return;
  throw new UsageError(`${spellFlag(name)} was given two values: ${before} and ${value}`, {
    tryNext: `npx whodunit help ${verb.name}`,
  });
}

/**
 * Refuses an empty word (mostly a shell variable that is not set), and a word that is longer than any name. Words for
 * another program are only checked up to the first one. Refuses `--json` too for a verb that runs another program.
 *
 * @throws UsageError
 */
export function refuseWords(verb: Verb, words: readonly string[]): void {
  const own = verb.passThrough === true ? words.slice(0, 1) : words;
  if (verb.passThrough === true && words[0] === '--json')
    throw new UsageError(`${verb.name} cannot answer in JSON: it prints what the other program prints`, {
      tryNext: `npx whodunit help ${verb.name}`,
    });
  const empty = own.findIndex(isEmpty);
  if (empty >= 0) throw refuseEmpty(`word ${empty + 1} of ${verb.name} is empty`, verb);
  const long = own.findIndex((word) => word.length > MAX_WORD);
  if (long >= 0) throw refuseLong(`word ${long + 1} of ${verb.name}`, own[long] ?? '', verb);
}

/** The longest path on Linux (PATH_MAX); no name is longer. */
const MAX_WORD = 4096;

function refuseLong(what: string, text: string, { name }: Verb): UsageError {
  return new UsageError(`${what} has ${text.length} characters, and at most ${MAX_WORD} are allowed`, {
    tryNext: `put echo before the line: a variable in it may have more than one word; npx whodunit help ${name}`,
  });
}

function refuseEmpty(what: string, { name }: Verb): UsageError {
  return new UsageError(what, {
    tryNext: `put echo before the line: a variable in it may not be set; npx whodunit help ${name}`,
  });
}

function isEmpty(text: string): boolean {
  return text.trim() === '';
}

function isNumberFlag(name: FlagName): name is NumberFlag {
  return Object.hasOwn(NUMBER_FORMS, name);
}

function readCount(text: string, most: number): number | undefined {
  const count = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
  return count !== undefined && count <= most ? count : undefined;
}
