import type { Proof } from '../model/saved/proof.ts';
import { text, type RawFact } from './raw-files.ts';
import tables from './tables.json' with { type: 'json' };

/** Each way to the end, one for each of its killers (tables.json). What the table does not say fits nothing. */
export const WAYS = tables.ways.map(({ sources, trace = '(?!)', needs = ['(?!)'], against, ...way }) => ({
  ...way,
  sources: sources.map(String),
  trace: new RegExp(trace, 'i'),
  needs: needs.map((need) => new RegExp(need, 'im')),
  against: new RegExp(`is late|${against ?? 'is of others|is unfit'}`, 'im'),
}));
export type Way = (typeof WAYS)[number];

/** A pattern of a table by its name, else another one. */
export function patternOf(table: 'acts' | 'hows', name: string, other?: string): RegExp | undefined {
  const { [name]: pattern = other }: Readonly<Record<string, string>> = tables[table];
  return pattern === undefined ? undefined : new RegExp(pattern);
}

/** What holds of some words, behind a text. */
export const join = (told: string, words: Readonly<Record<string, boolean>>): string =>
  [told, ...Object.keys(words).filter((word) => words[word])].join('; ');

/** Who sent a signal (docs/verdicts.md, "Identity"): the first row that fits. */
export function findSender(says: RawFact, { containerId, first }: Proof['victim'], isAsked: boolean): string {
  const told = join(`${text(says.actor)} in ${text(says.actorCgroup)} sent ${String(says.signal)}`, {
    'by the kernel': says.code === 128,
    'for itself': says.code === -2 || says.actorPid === says.pid,
    'for a reason of the target': Number(says.code) > 0,
    'from inside': containerId !== '' && text(says.actorCgroup).includes(containerId),
    'as init': says.actorPid === 1,
    'as shim': says.actorPid === first?.says.parent,
    'when asked': isAsked,
  });
  return whoIn('senders', told);
}

/** Who it is by a table: the first row that fits. */
export const whoIn = (table: 'senders' | 'observers', told: string): string =>
  tables[table].find(({ when }) => new RegExp(when).test(told))?.who ?? 'outside';
