import { describeBound } from '../../model/saved/describe-measure.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import type { MeasureBound } from '../../model/measures/measure.ts';
import { isPrintedBy, MEASURE_ROWS, MEASURES } from '../../model/measures/measure-table.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { LoadedScenario, Outcome } from '../../model/declared/scenario.ts';

/**
 * Checks what a schema cannot say about the samplers of a scenario and about what it expects of measures: scripts that are
 * empty or print nothing that is expected, and bounds that nothing could ever meet.
 */
export function checkMeasures(loaded: LoadedScenario): ConfigProblem[] {
  const { scenario } = loaded;
  return [
    ...checkSamplers(loaded),
    ...checkBounds(loaded, 'expect', scenario.expect),
    ...scenario.variants.flatMap(({ expect }, index) =>
      // What an entry leaves out is that of `expect`.
      checkBounds(loaded, `variants.${index}.expect`, {
        killer: expect.killer ?? scenario.expect.killer,
        survivesSeconds: expect.survivesSeconds ?? scenario.expect.survivesSeconds,
        measures: expect.measures,
      }),
    ),
  ];
}

function checkSamplers({ scenario, folder, source, samplers }: LoadedScenario): ConfigProblem[] {
  const names = scenario.samplers.map(({ name }) => name);
  const file = `${folder}/scenario.yaml`;
  return scenario.samplers.flatMap((each, index): ConfigProblem[] => {
    const path = `samplers.${index}`;
    if (names.indexOf(each.name) < index)
      return [{ file, path: `${path}.name`, expected: 'a name of its own', received: `"${each.name}"` }];
    // A file that is missing is named elsewhere (check-files.ts).
    if (each.file !== undefined && !Object.hasOwn(source.scripts, each.file)) return [];
    const script = samplers[index]?.script ?? '';
    if (hasCommand(script) && SAMPLED.some((measure) => isPrintedBy(measure, script))) return [];
    const [where, field] =
      each.file === undefined ? [file, `${path}.script`] : [`${folder}/samplers/${each.file}`, ''];
    const received = hasCommand(script) ? 'a script without the name of a measure' : 'nothing';
    const expected = 'a script that prints "<measure> <number>"';
    return [configProblem(where, field, expected, received, findMeant(script))];
  });
}

/** What samplers print. */
const SAMPLED = MEASURES.filter((measure) => MEASURE_ROWS[measure].from === 'sampler');

/** The measure that a word of a script may have been meant for. */
function findMeant(script: string): string | undefined {
  const words = script.match(/[a-z]+(?:-[a-z]+)*/g) ?? [];
  return words.map((word) => nearestName(word, SAMPLED)).find((each) => each !== undefined);
}

/** Whether there is anything in it but comments and empty lines. */
function hasCommand(script: string): boolean {
  return script.split('\n').some((line) => /^\s*[^#\s]/.test(line));
}

type Expected = Pick<Outcome, 'killer' | 'survivesSeconds' | 'measures'>;

function checkBounds(
  loaded: LoadedScenario,
  path: string,
  { killer, survivesSeconds, measures }: Expected,
): ConfigProblem[] {
  const file = `${loaded.folder}/scenario.yaml`;
  const printed = loaded.samplers.map(({ script }) => script);
  const areThere = areScriptsThere(loaded);
  return (measures ?? []).flatMap((bound, index): ConfigProblem[] => {
    const at = (field: string): Pick<ConfigProblem, 'file' | 'path'> => ({
      file,
      path: `${path}.measures.${index}.${field}`,
    });
    const { measure, bySeconds } = bound;
    const { from, least, most } = MEASURE_ROWS[measure];
    const problems: ConfigProblem[] = [];
    if (from === 'sampler' && areThere && !printed.some((script) => isPrintedBy(measure, script)))
      problems.push({
        ...at('measure'),
        expected: `a sampler whose script prints ${measure}`,
        received: 'none',
      });
    if ((from === 'registry' || from === 'heartbeat') && loaded.scenario[from] === undefined)
      problems.push({
        ...at('measure'),
        expected: `a \`${from}\`, which tells ${measure}`,
        received: 'none',
      });
    // A slope may fall, and is per minute.
    for (const [field, limit] of limitsOf(bound))
      if (bound.statistic !== 'slope' && (limit < least || limit > most))
        problems.push({
          ...at(field),
          expected: `a number between ${least} and ${most}`,
          received: String(limit),
        });
    if (
      killer === 'none' &&
      bySeconds !== undefined &&
      survivesSeconds !== undefined &&
      bySeconds > survivesSeconds
    )
      problems.push({
        ...at('bySeconds'),
        expected: `no more than the ${survivesSeconds} s of survivesSeconds`,
        received: String(bySeconds),
      });
    const rival = (measures ?? []).slice(0, index).find((each) => excludes(each, bound));
    if (rival !== undefined)
      problems.push({
        ...at('measure'),
        expected: 'bounds that can hold together',
        received: `${describeBound(bound)} beside ${describeBound(rival)}`,
      });
    return problems;
  });
}

/** A script that is missing is named elsewhere (check-files.ts); what it would print is not known. */
function areScriptsThere({ scenario, source }: LoadedScenario): boolean {
  return scenario.samplers.every(({ file }) => file === undefined || Object.hasOwn(source.scripts, file));
}

function limitsOf({ atLeast, atMost, between }: MeasureBound): (readonly [string, number])[] {
  return [
    ...(atLeast === undefined ? [] : [['atLeast', atLeast] as const]),
    ...(atMost === undefined ? [] : [['atMost', atMost] as const]),
    ...(between ?? []).map((limit) => ['between', limit] as const),
  ];
}

/** Whether two bounds are of the same number, which cannot be within both. */
function excludes(one: MeasureBound, other: MeasureBound): boolean {
  if (one.measure !== other.measure || one.statistic !== other.statistic || one.bySeconds !== other.bySeconds)
    return false;
  const [a, b] = [one, other].map(({ atLeast, atMost, between }) => ({
    low: atLeast ?? between?.[0] ?? -Infinity,
    high: atMost ?? between?.[1] ?? Infinity,
  }));
  return a !== undefined && b !== undefined && Math.max(a.low, b.low) > Math.min(a.high, b.high);
}
