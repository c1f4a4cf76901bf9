import type { KillersResult } from '../../model/saved/answers.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { FAMILIES, howsOf, KILLERS, rowOf } from '../../model/killers/killers.ts';
import { renderKillerList } from '../../report/terminal/render-catalogue.ts';
import type { RunVerb } from '../context/context.ts';

/** Everybody whom a verdict can name, with what proves it. */
export function describeKillers(): KillersResult {
  return {
    formatVersion: FORMAT_VERSION,
    killers: KILLERS.map((name) => {
      const { family, proof, advice } = rowOf(name);
      return { name, family: FAMILIES[family], hows: [...howsOf(name)], proof, advice };
    }),
  };
}

/** `whodunit killers`: everybody whom a verdict can name. */
export const runKillers: RunVerb = async () => {
  const result = describeKillers();
  return {
    status: 'passed',
    json: result,
    rows: { list: result.killers, name: 'name' },
    text: () => renderKillerList(result),
  };
};
