import type { RunVerb } from '../context/context.ts';
import { FLAGS, spellFlag, type FlagName } from '../context/flags.ts';
import type { CompletionFolders, ListCandidates } from './candidates.ts';
import { findOfFlag, findOfWord } from './complete-values.ts';
import { flagsOfVerb, type Verb } from './verb.ts';
import { VERBS } from './verbs.ts';

/** `whodunit complete <line>`: prints the candidates for the last word of a command line, one a line, for shells. */
export const runComplete: RunVerb = async (context, [line = '']) => {
  const found = await listCandidates(context, line);
  return found.length === 0 ? { status: 'passed' } : { status: 'passed', text: () => found.join('\n') };
};

/**
 * A candidate that is one word in every shell. A shell inserts it unchanged, and names of saved runs and of their cells may
 * come from somebody else.
 */
const HARMLESS = /^[\w@%+=:,./[\]-]+$/;

/** Lists the candidates for the last word of a line that begins with the name of the program. */
export async function listCandidates(folders: CompletionFolders, line: string): Promise<string[]> {
  const [, ...words] = line.split(/\s+/);
  const last = words.at(-1) ?? '';
  const candidates = await candidatesFor(folders, words, last);
  return [...new Set(candidates)]
    .filter((candidate) => candidate.startsWith(last) && candidate !== last && HARMLESS.test(candidate))
    .sort();
}

async function candidatesFor(
  folders: CompletionFolders,
  words: readonly string[],
  last: string,
): Promise<readonly string[]> {
  const [name = '', ...rest] = words;
  const verbs = VERBS.map((verb) => verb.name);
  if (rest.length === 0) return [...verbs, 'help'];
  if (name === 'help') return [...verbs, '--all'];
  const verb = VERBS.find((known) => known.name === name);
  if (verb === undefined) return [];
  const { before, flags, open } = readTyped(verb, rest.slice(0, -1));
  const none: ListCandidates = () => [];
  // The value of a flag in one word: --format=html
  const [spelled = '', value] = last.split(/=(.*)/s);
  if (last.startsWith('-') && value !== undefined) {
    const flag = findTyped(verb, spelled);
    const list = (flag === undefined ? undefined : findOfFlag(flag)) ?? none;
    return (await list(folders, value, before)).map((candidate) => `${spelled}=${candidate}`);
  }
  if (last.startsWith('-')) return verb.passThrough === true && before.length > 0 ? [] : spellFlags(verb);
  // Whether a flag that the verb does not have takes a value, nobody knows.
  const [typed = ''] = words.slice(-2);
  if (typed.startsWith('-') && findTyped(verb, typed.replace(/=.*/s, '')) === undefined) return [];
  const list = (open === undefined ? findOfWord(verb, before, flags) : findOfFlag(open)) ?? none;
  return list(folders, last, before);
}

/** What was typed before a word. */
interface Typed {
  /** Words of the verb, without its flags and their values. */
  readonly before: readonly string[];
  readonly flags: readonly FlagName[];
  /** The flag whose value the word is. */
  readonly open: FlagName | undefined;
}

function readTyped(verb: Verb, words: readonly string[]): Typed {
  const before: string[] = [];
  const flags: FlagName[] = [];
  let open: FlagName | undefined;
  for (const word of words) {
    const flag = word.startsWith('-') ? findTyped(verb, word.replace(/=.*/s, '')) : undefined;
    if (flag !== undefined) {
      flags.push(flag);
      open = takesValue(verb, flag) && !word.includes('=') ? flag : undefined;
    } else if (open === undefined) before.push(word);
    else if (!FLAGS[open].endsWith('...>')) open = undefined;
  }
  return { before, flags, open };
}

/** Finds a flag of a verb, or that of every verb, by either of its forms: `-o`, `--out`. */
function findTyped(verb: Verb, word: string): FlagName | undefined {
  return [...flagsOfVerb(verb), 'project' as const].find((flag) => FLAGS[flag].split(/,? /).includes(word));
}

/** Whether a flag of a verb has a value. */
export function takesValue({ switches = [] }: Verb, flag: FlagName): boolean {
  return FLAGS[flag].endsWith('>') && !switches.includes(flag);
}

function spellFlags(verb: Verb): string[] {
  return flagsOfVerb(verb).map(spellFlag);
}
