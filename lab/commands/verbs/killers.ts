import type { KillersResult } from '../../model/saved/answers.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { FAMILIES, howsOf, KILLERS, rowOf } from '../../model/killers/killers.ts';
import { renderKillerList } from '../../report/terminal/render-catalogue.ts';
import { findListed } from '../context/find-listed.ts';
import type { RunVerb } from '../context/context.ts';

/** Returns every killer that a verdict can name, or those that have the words, with what proves each. */
export function describeKillers(words: readonly string[] = []): KillersResult {
  const found = findListed(words, {
    kind: 'killer',
    items: KILLERS,
    nameOf: (name) => name,
    fieldsOf: (name) => [
      { text: howsOf(name).join(' '), weight: 2 },
      { text: FAMILIES[rowOf(name).family], weight: 2 },
      { text: rowOf(name).proof, weight: 1 },
      { text: rowOf(name).advice, weight: 1 },
    ],
    all: 'npx whodunit killers',
  });
  return {
    formatVersion: FORMAT_VERSION,
    killers: found.map((name) => {
      const { family, proof, advice } = rowOf(name);
      return { name, family: FAMILIES[family], hows: [...howsOf(name)], proof, advice };
    }),
  };
}

/** `whodunit killers [word…]`: lists every killer that a verdict can name, or those that have the words. */
export const runKillers: RunVerb = async (_context, words) => {
  const result = describeKillers(words);
  return {
    status: 'passed',
    json: result,
    rows: { list: result.killers, name: 'name' },
    table: () => renderKillerList(result),
  };
};
