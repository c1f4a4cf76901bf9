import type { CellResult } from '../model/formats.ts';
import { OUTCOME_WORDS } from '../model/outcome-words.ts';

/** The fields of an outcome (`lab/model/scenario.ts`) as a person says them; others are written as they are. */
const FIELDS: Readonly<Record<string, (text: string) => string>> = {
  killer: (text) => text,
  ...OUTCOME_WORDS,
  then: (text) => `then ${text.replaceAll('-', ' ')}`,
  alsoDies: (text) => `${text} dies as well`,
  mayDie: (text) => `${text} may die as well`,
  alsoSurvives: (text) => `${text} lives`,
  or: (text) => `or ${text}`,
};

/** What a cell expected, in one line: `memcg-oom, at container or pod level, within 60 s`. */
export function describeExpected(expected: CellResult['expected']): string {
  return Object.entries(expected)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = Array.isArray(value) ? value.map(describeItem).join(' or ') : String(value);
      return FIELDS[name]?.(text) ?? `${name} ${text}`;
    })
    .join(', ');
}

/** One of several accepted values; another accepted end is an object: `runtime-lost by runtime-restarted`. */
function describeItem(item: unknown): string {
  const isEnd = typeof item === 'object' && item !== null && 'killer' in item && 'how' in item;
  if (!isEnd) return String(item);
  const hows = Array.isArray(item.how) ? item.how.join(' or ') : String(item.how);
  return `${String(item.killer)} by ${hows}`;
}
