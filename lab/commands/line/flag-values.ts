import { UsageError } from '../../model/errors/errors.ts';
import { MAX_REPEATS } from '../../model/limits/max-repeats.ts';
import { MAX_SHARDS } from '../../model/limits/max-shards.ts';
import { parseSize, SIZE_FORMS } from '../../model/text/parse-size.ts';
import { parseEvidenceRule } from '../../plan/shards/evidence-rule.ts';
import { parseLanes } from '../../plan/worlds/parse-lanes.ts';
import { spellFlag, type FlagName, type NumberFlag } from '../context/flags.ts';
import type { Verb } from './verb.ts';

/** The most worlds that anybody could run at once. */
const MAX_PARALLEL = 999;

/** A pod that crashes every ten seconds for a year has fewer attempts. */
const MAX_ATTEMPT = 9_999_999;

/** A week: no engine lets a task run longer. */
const MAX_MINUTES = 7 * 24 * 60;

/** More cells than any plan has. */
const MAX_SAMPLE = 999_999;

/** A DNS label. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** What a verb that lists can print with `--output`. */
const OUTPUTS = ['json', 'name', 'wide'] as const;

const MINUTES = {
  accepts: `whole minutes from 1 to ${MAX_MINUTES}`,
  read: (text: string) => readCount(text, MAX_MINUTES),
};

/** The values that are more than a text: what is accepted, and how it is read; undefined when it is none. */
const NUMBERS: Readonly<
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
  sample: {
    accepts: `a whole number from 1 to ${MAX_SAMPLE}`,
    read: (text) => readCount(text, MAX_SAMPLE),
  },
  budget: { accepts: `a time such as 90m or 1h30m, from 1s to ${MAX_MINUTES / 60}h`, read: parseBudget },
  year: {
    accepts: 'a year from 2000 to 2100',
    read: (text) => (/^20\d\d$|^2100$/.test(text) ? Number(text) : undefined),
  },
};

/** A time as people write it, in seconds; undefined when it is none, or more than a week. */
function parseBudget(text: string): number | undefined {
  const [, hours = 0, minutes = 0, seconds = 0] =
    /^(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s)?$/.exec(text) ?? [];
  const all = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return all > 0 && all <= MAX_MINUTES * 60 ? all : undefined;
}

/** Flags that name what is written when the work is done. */
const WRITTEN: readonly FlagName[] = ['save', 'record', 'out'];

/** What reads the exit code of a run in place of a person. */
const READERS = ['git-bisect'];

/** What a text may be. */
interface TextForm {
  readonly accepts: string;
  readonly isOne: (text: string) => boolean;
}

const oneOf = (known: readonly string[]): TextForm => ({
  accepts: known.join(', '),
  isOne: (text) => known.includes(text),
});

/** The texts that are more than any. */
const TEXTS: Partial<Record<FlagName, TextForm>> = {
  output: oneOf(OUTPUTS),
  exitFor: oneOf(READERS),
  debugNamespace: { accepts: 'the name of a namespace', isOne: (text) => NAMESPACE.test(text) },
};

/** Texts with a form of their own, whose reader refuses any other. */
const PARSED: Partial<Record<FlagName, (text: string) => unknown>> = {
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
  if (WRITTEN.includes(name) && text === '-')
    throw refuse('the name of a file or folder, and cannot be standard output (-)');
  PARSED[name]?.(text);
  if (!isNumberFlag(name)) {
    const form = TEXTS[name];
    if (form === undefined || form.isOne(text)) return text;
    throw refuse(`${form.accepts}, not "${text}"`);
  }
  const { accepts, read } = NUMBERS[name];
  const value = read(text);
  if (value !== undefined) return value;
  throw refuse(`${accepts}, not "${text}"`);
}

/**
 * Refuses two values of a flag that takes one: which of them was meant is not known.
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
 * Refuses an empty word, most often a variable of the shell that is not set, and one that is longer than any name. What is passed on to another program may have
 * some after its first word. And refuses `--json` where another program prints.
 *
 * @throws UsageError
 */
export function refuseWords(verb: Verb, words: readonly string[]): void {
  const ours = verb.passThrough === true ? words.slice(0, 1) : words;
  if (verb.passThrough === true && words[0] === '--json')
    throw new UsageError(`${verb.name} cannot answer in JSON: it prints what the other program prints`, {
      tryNext: `npx whodunit help ${verb.name}`,
    });
  const at = ours.findIndex(isEmpty);
  if (at >= 0) throw refuseEmpty(`word ${at + 1} of ${verb.name} is empty`, verb);
  const long = ours.findIndex((word) => word.length > MAX_WORD);
  if (long >= 0) throw refuseLong(`word ${long + 1} of ${verb.name}`, ours[long] ?? '', verb);
}

/** As long as a path may be on Linux (PATH_MAX); nothing that has a name is longer. */
const MAX_WORD = 4096;

function refuseLong(what: string, text: string, { name }: Verb): UsageError {
  return new UsageError(`${what} has ${text.length} letters, and at most ${MAX_WORD} mean something`, {
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
  return Object.hasOwn(NUMBERS, name);
}

function readCount(text: string, most: number): number | undefined {
  const count = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
  return count !== undefined && count <= most ? count : undefined;
}
