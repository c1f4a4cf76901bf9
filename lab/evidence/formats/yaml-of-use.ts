import { mayTell } from './objects.ts';

/** A key that an object has, and how deep it is: the dash of an item counts. */
const KEY = /^(?<before>[ -]*)(?<name>apiVersion|kind):(?<value>.*)$/gm;
const LEAST_KEY = /^(?!\s*(?:#|---|\.\.\.|%|$))[ -]*/m;
const KIND = /^\s+(?:"([A-Za-z]+)"|'([A-Za-z]+)'|([A-Za-z]+))\s*(?:#.*)?$/;
/** Fields that are much of an object and tell nothing of what happened: who wrote which field, values of the environment, mounts. */
const OF_NO_USE = /^( *)(?:fieldsV1|env|volumeMounts|tolerations):[ \t]*$/;
/** A text of several lines begins. */
const BLOCK = /(?:^|[:-] )[ \t]*(?:[&!]\S+ +)*[|>][-+\d]*[ \t]*(?:#.*)?$/;
/** So does one in quotes, where they are not closed in the same line. */
const QUOTED = /(?:^|[:-] )[ \t]*(["'])(?!.*\1[ \t]*(?:#.*)?$)/;

/**
 * YAML of the API without what tells nothing of an end; undefined where nothing in it tells. Most of a bundle is of such kinds, and
 * reading YAML is what takes long. Where it is in doubt it leaves the text whole.
 */
export function leaveOfUse(text: string): string | undefined {
  const kinds = kindsIn(text);
  if (kinds.length > 0 && kinds.every((kind) => kind !== undefined && !mayTell(kind))) return undefined;
  return withoutFields(text);
}

/** The kinds of the objects themselves: what is deeper is of other objects that they name. Undefined: a kind that is not a plain word. */
function kindsIn(text: string): (string | undefined)[] {
  const column = LEAST_KEY.exec(text)?.[0].length;
  const own = [...text.matchAll(KEY)].filter(({ groups }) => groups?.['before']?.length === column);
  const ofName = (name: string): string[] =>
    own.flatMap(({ groups }) => (groups?.['name'] === name ? [groups['value'] ?? ''] : []));
  const kinds = ofName('kind');
  // Without a kind for each, one of them may be anything.
  if (kinds.length !== ofName('apiVersion').length) return [];
  return kinds.map((value) => {
    const [, double, single, plain] = KIND.exec(value) ?? [];
    return double ?? single ?? plain;
  });
}

/** Leaves such fields out, and nothing within a text of several lines, which may look like one. */
function withoutFields(text: string): string {
  const kept: string[] = [];
  /** Lines are of a text while they are deeper than this. */
  let textIn: number | undefined;
  /** Lines are of a text until this ends one. */
  let quote: string | undefined;
  /** Lines are of a field that is left out while they are deeper than this, or items at it. */
  let left: number | undefined;
  for (const line of text.split('\n')) {
    const depth = line.search(/\S/);
    if (left !== undefined) {
      // Comments and empty lines end nothing.
      if (depth < 0 || line[depth] === '#' || depth > left || (depth === left && /^ *- /.test(line)))
        continue;
      left = undefined;
    }
    if (quote !== undefined) {
      if (new RegExp(`${quote}[ \\t]*(?:#.*)?$`).test(line)) quote = undefined;
    } else if (textIn === undefined || (depth >= 0 && depth <= textIn)) {
      textIn = BLOCK.test(line) ? depth : undefined;
      quote = QUOTED.exec(line)?.[1];
      const margin = OF_NO_USE.exec(line)?.[1];
      if (margin !== undefined) {
        left = margin.length;
        continue;
      }
    }
    kept.push(line);
  }
  return kept.join('\n');
}
