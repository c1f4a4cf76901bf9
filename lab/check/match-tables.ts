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

/** The rows of a table that fit some words, by their names, in the order of the table. */
export const fitting = (table: keyof typeof tables.patterns, told: string): string[] =>
  Object.entries(tables.patterns[table]).flatMap(([name, row]) => (new RegExp(row).test(told) ? name : []));

/** What holds of some words, behind a text. */
export const join = (told: string, words: Readonly<Record<string, boolean>>): string =>
  [told, ...Object.keys(words).filter((word) => words[word])].join('; ');
