import { UsageError } from '../../model/errors/errors.ts';
import { findMeasureRow, listMeasures } from '../../model/measures/declared-measure.ts';
import { isPrintedBy } from '../../model/measures/measure-table.ts';
import { END_FIELDS, isEndField } from '../../model/saved/end-fields.ts';
import type { BisectHead } from '../../model/saved/search.ts';
import {
  findSearchedMeasure,
  spellSearchedNumber,
  type SearchedMeasure,
} from '../../model/saved/searched-measure.ts';
import { listTwice } from '../../model/text/list-twice.ts';
import { formatHint } from '../../model/text/nearest.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';

/** The default of `--what`. */
const DEFAULT_WHAT = 'killer,level,how,reason';

/** The parts of a scenario that say what it measures. */
type Measuring = Pick<LoadedScenario, 'samplers'> & {
  readonly scenario: Pick<LoadedScenario['scenario'], 'name' | 'measures' | 'expect' | 'variants'>;
};

/**
 * Reads `--what`: fields of an end, and bounds of measures that the scenario takes.
 *
 * @throws UsageError with everything that is wrong.
 */
export function readWhat(text: string | undefined, loaded: Measuring): BisectHead['what'] {
  const words = (text ?? DEFAULT_WHAT).split(',').map((word) => word.trim());
  const taken = listTaken(loaded);
  const problems = [...new Set(words)].flatMap((word) => {
    if (word === '') return ['a word is empty'];
    if (isEndField(word)) return [];
    const bound = findSearchedMeasure(word);
    return bound === undefined ? [describeWord(word)] : describeBound(bound, loaded, taken);
  });
  const twice = listTwice(words.filter((word) => word !== ''));
  problems.push(...twice.map((word) => `${word} is named twice`));
  if (problems.length > 0)
    throw new UsageError(`--what: ${problems.join('; ')}`, {
      tryNext:
        taken.length === 0
          ? '--what killer,reason'
          : `--what killer,reason or --what ${taken[0]}.max.atLeast=1; ${loaded.scenario.name} measures ${taken.join(', ')}`,
    });
  const fields = END_FIELDS.filter((field) => words.includes(field));
  return [...fields, ...words.filter((word) => !isEndField(word))];
}

function describeWord(word: string): string {
  const looksLikeBound = /[.=<>]/.test(word);
  if (!looksLikeBound) return `it takes ${END_FIELDS.join(', ')} and bounds of measures, not "${word}"`;
  return `"${word}" is not a bound such as zombies.atMost=0, zombies.max.atLeast=40 or zombies.between=10:20`;
}

/** Lists what is wrong with a bound in a search over this scenario. */
function describeBound(bound: SearchedMeasure, { scenario }: Measuring, taken: readonly string[]): string[] {
  const { measure, statistic, atLeast, atMost, between } = bound;
  const row = findMeasureRow(measure, scenario.measures);
  if (row === undefined)
    return [`there is no measure "${measure}"${formatHint(measure, listMeasures(scenario.measures))}`];
  const problems = taken.includes(measure) ? [] : [`${scenario.name} does not measure ${measure}`];
  const limits = [atLeast, atMost, ...(between ?? [])].filter((limit) => limit !== undefined);
  const { least, most } = row;
  if (statistic !== 'slope' && limits.some((limit) => limit < least || limit > most))
    problems.push(`${spellSearchedNumber(bound)} is always between ${least} and ${most}`);
  if (between !== undefined && between[0] > between[1])
    problems.push(`between=${between.join(':')} has the larger number first`);
  return problems;
}

/** Lists the measures that its samplers print or that it has bounds for. No result has any other. */
function listTaken({ scenario, samplers }: Measuring): string[] {
  const { expect, variants, measures } = scenario;
  const bounded = [expect, ...variants.map((variant) => variant.expect)].flatMap((outcome) =>
    (outcome.measures ?? []).map(({ measure }) => measure),
  );
  return listMeasures(measures).filter(
    (name) => bounded.includes(name) || samplers.some(({ script }) => isPrintedBy(name, script)),
  );
}
