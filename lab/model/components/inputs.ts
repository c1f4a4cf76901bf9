import { createHash } from 'node:crypto';

/** Everything that decides what a thing is made of. Names are for people; values are versions, settings or digests. */
export type Inputs = Readonly<Record<string, string>>;

/** A longer value is shown from its first difference. */
const SHOWN_WHOLE = 60;

/** SHA-256 (hexadecimal) over all inputs, whatever their order. */
export function digestInputs(inputs: Inputs): string {
  const sorted = Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

/** Turns nested data into inputs: the name of each is its dotted path, its value is JSON. */
export function flattenInputs(value: unknown): Inputs {
  return Object.fromEntries(listLeaves(value, ''));
}

/**
 * Says what each differing input was and is, in the order of the names: `suite was sid, is trixie`. Digests are cut to
 * 12 digits. Empty when no input differs.
 */
export function compareInputs(earlier: Inputs, wanted: Inputs): string[] {
  return listDifferences(earlier, wanted).map((name) => {
    const [before, after] = [earlier[name], wanted[name]];
    if (before === undefined) return `${name} is new`;
    if (after === undefined) return `${name} is gone`;
    const [was, is] = shorten(cutDigests(unquote(before)), cutDigests(unquote(after)));
    return `${name} was ${was}, is ${is}`;
  });
}

/** Names of the inputs that differ, sorted. */
export function listDifferences(earlier: Inputs, wanted: Inputs): string[] {
  const names = new Set([...Object.keys(earlier), ...Object.keys(wanted)]);
  return [...names].filter((name) => earlier[name] !== wanted[name]).sort();
}

function listLeaves(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value) ?? 'nothing']];
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length === 0) return [[path, '{}']];
  return entries.flatMap(([name, input]) => listLeaves(input, path === '' ? name : `${path}.${name}`));
}

/** A text that came out of JSON is shown without its quotes. */
function unquote(value: string): string {
  return value.replace(/^"(.*)"$/, '$1');
}

/** Cuts the common beginning and end, in whole words, off two long values. */
function shorten(before: string, after: string): [string, string] {
  if (Math.max(before.length, after.length) <= SHOWN_WHOLE) return [before, after];
  const [was, is] = [before.split(' '), after.split(' ')];
  const shortest = Math.min(was.length, is.length);
  let start = 0;
  while (start < shortest && was[start] === is[start]) start += 1;
  let end = 0;
  while (end < shortest - start && was.at(-1 - end) === is.at(-1 - end)) end += 1;
  const cut = (words: readonly string[]): string => {
    const middle = words.slice(start, words.length - end).join(' ');
    const shown = middle.length > SHOWN_WHOLE ? `${middle.slice(0, SHOWN_WHOLE)}…` : middle;
    return [start > 0 ? '…' : '', shown, end > 0 ? '…' : ''].filter((part) => part !== '').join(' ');
  };
  return [cut(was), cut(is)];
}

function cutDigests(value: string): string {
  return value.replace(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, '$1');
}
