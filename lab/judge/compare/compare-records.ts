import type { Difference } from '../../model/saved/diff.ts';

/**
 * Lists the values that differ between two JSON values, each with its path. Items of a list that have a name are compared
 * by it; other lists are one value.
 */
export function compareRecords(before: unknown, now: unknown): Difference[] {
  const [was, is] = [flatten(before), flatten(now)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((field) => {
    const [one, other] = [was.get(field), is.get(field)];
    return one === other ? [] : [{ field, before: one ?? 'none', now: other ?? 'none' }];
  });
}

function flatten(value: unknown, path = ''): Map<string, string> {
  if (Array.isArray(value)) {
    const names = value.map(nameOf);
    if (value.length === 0 || names.some((name) => name === undefined)) return leaf(path, value);
    return merge(value.map((element, index) => flatten(element, `${path}[${names[index]}]`)));
  }
  if (typeof value !== 'object' || value === null) return leaf(path, value);
  return merge(
    Object.entries(value).map(([key, field]) => flatten(field, path === '' ? key : `${path}.${key}`)),
  );
}

function leaf(path: string, value: unknown): Map<string, string> {
  if (value === undefined) return new Map();
  return new Map([[path, typeof value === 'string' ? value : JSON.stringify(value)]]);
}

function nameOf(item: unknown): string | undefined {
  const name = typeof item === 'object' && item !== null ? (item as { name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : undefined;
}

function merge(maps: readonly Map<string, string>[]): Map<string, string> {
  return new Map(maps.flatMap((map) => [...map]));
}
