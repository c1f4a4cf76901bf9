import tables from './tables.json' with { type: 'json' };

/** Each way to the end, one for each of its killers (tables.json). What the table does not say fits nothing. */
export const WAYS = tables.ways.map(({ trace = '(?!)', needs = ['(?!)'], against, ...way }) => ({
  ...way,
  trace: new RegExp(trace, 'im'),
  needs: needs.map((need) => new RegExp(need, 'im')),
  against: new RegExp(`is late|${against ?? 'is of others|is unfit'}`, 'im'),
}));
export type Way = (typeof WAYS)[number];

/** A pattern of a table by its name, else another one. */
export function patternOf(table: 'acts' | 'hows', name: string, other?: string): RegExp | undefined {
  const { [name]: pattern = other }: Readonly<Record<string, string>> = tables[table];
  return pattern === undefined ? undefined : new RegExp(pattern);
}

/** Who observed what a link says, as `step kind fields`. */
export function observersOf(link: string): string[] {
  return tables.observers.find(({ told }) => new RegExp(told).test(link))?.names.split(' ') ?? [];
}
