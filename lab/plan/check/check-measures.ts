import { describeBound } from '../../model/saved/describe-measure.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import type { MeasureBound } from '../../model/measures/measure.ts';
import { findMeasureRow, listMeasures } from '../../model/measures/declared-measure.ts';
import { builtInRow, isPrintedBy } from '../../model/measures/measure-table.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { LoadedScenario, Outcome, Scenario } from '../../model/declared/scenario.ts';

/**
 * Checks what a schema cannot say about the samplers of a scenario, about the measures that it declares, and about what it
 * expects of them: scripts that are empty or print nothing that is expected, names that nobody knows, and bounds that
 * nothing could ever meet.
 */
export function checkMeasures(loaded: LoadedScenario): ConfigProblem[] {
  const { scenario } = loaded;
  return [
    ...checkDeclared(loaded),
    ...checkSamplers(loaded),
    ...checkBounds(loaded, 'expect', scenario.expect),
    ...checkTwice(loaded, 'expect', scenario.expect),
    ...scenario.variants.flatMap(({ expect }, index) => [
      // What an entry leaves out is that of `expect`.
      ...checkBounds(loaded, `variants.${index}.expect`, {
        killer: expect.killer ?? scenario.expect.killer,
        survivesSeconds: expect.survivesSeconds ?? scenario.expect.survivesSeconds,
        measures: expect.measures,
      }),
      ...checkTwice(loaded, `variants.${index}.expect`, expect),
    ]),
  ];
}

/** Whoever has written a bound twice, for whatever reason, has meant another one. */
function checkTwice(
  { folder }: LoadedScenario,
  path: string,
  { measures = [] }: Pick<Outcome, 'measures'>,
): ConfigProblem[] {
  const bounds = measures.map((bound) => JSON.stringify({ ...bound, reason: '' }));
  return measures.flatMap(({ measure }, index) =>
    bounds.indexOf(bounds[index] ?? '') === index
      ? []
      : [
          configProblem(
            `${folder}/scenario.yaml`,
            `${path}.measures.${index}.measure`,
            'each bound once',
            `${measure} again`,
          ),
        ],
  );
}

/** A declared measure has a name of its own, and is printed. */
function checkDeclared(loaded: LoadedScenario): ConfigProblem[] {
  const file = `${loaded.folder}/scenario.yaml`;
  const areThere = areScriptsThere(loaded);
  return Object.keys(loaded.scenario.measures).flatMap((name): ConfigProblem[] => {
    const path = `measures.${name}`;
    if (builtInRow(name) !== undefined)
      return [configProblem(file, path, 'a name that no built-in measure has', JSON.stringify(name))];
    if (!areThere || loaded.samplers.some(({ script }) => isPrintedBy(name, script))) return [];
    return [configProblem(file, path, `a sampler whose script prints ${name}`, 'none')];
  });
}

/**
 * Checks that measures of the same name are the same in all scenarios: reports put them side by side. The first scenario
 * that declares one decides.
 */
export function checkSameMeasures(scenarios: readonly LoadedScenario[]): ConfigProblem[] {
  const first = new Map<string, { readonly folder: string; readonly unit: string; readonly of: string }>();
  return scenarios.flatMap(({ scenario, folder }) =>
    Object.entries(scenario.measures).flatMap(([name, { unit = '', of }]): ConfigProblem[] => {
      const known = first.get(name);
      if (known === undefined) first.set(name, { folder, unit, of });
      if (known === undefined || (known.unit === unit && known.of === of)) return [];
      const [field, wanted, received] =
        known.unit === unit ? (['of', known.of, of] as const) : (['unit', known.unit, unit] as const);
      const spell = (text: string): string => (text === '' ? 'no unit' : text);
      return [
        configProblem(
          `${folder}/scenario.yaml`,
          `measures.${name}.${field}`,
          `${spell(wanted)}, as in ${known.folder}/scenario.yaml`,
          spell(received),
        ),
      ];
    }),
  );
}

function checkSamplers({ scenario, folder, source, samplers }: LoadedScenario): ConfigProblem[] {
  const sampled = listSampled(scenario);
  const names = scenario.samplers.map(({ name }) => name);
  const file = `${folder}/scenario.yaml`;
  return scenario.samplers.flatMap((sampler, index): ConfigProblem[] => {
    const path = `samplers.${index}`;
    if (names.indexOf(sampler.name) < index)
      return [{ file, path: `${path}.name`, expected: 'a name of its own', received: `"${sampler.name}"` }];
    if (sampler.everySeconds >= scenario.timeoutSeconds)
      return [
        configProblem(
          file,
          `${path}.everySeconds`,
          `less than the ${scenario.timeoutSeconds} s of timeoutSeconds`,
          String(sampler.everySeconds),
        ),
      ];
    if (sampler.reads !== undefined) {
      const { measure } = sampler.reads;
      const at = { file, path: `${path}.reads.measure` };
      return sampled.includes(measure) ? [] : [describeUnknown(at, measure, sampled)];
    }
    // A file that is missing is named elsewhere (check-files.ts).
    if (sampler.file !== undefined && !Object.hasOwn(source.scripts, sampler.file)) return [];
    const script = samplers[index]?.script ?? '';
    if (hasCommand(script) && sampled.some((measure) => isPrintedBy(measure, script))) return [];
    const [where, field] =
      sampler.file === undefined ? [file, `${path}.script`] : [`${folder}/samplers/${sampler.file}`, ''];
    const received = hasCommand(script) ? 'a script without the name of a measure' : 'nothing';
    const expected = 'a script that prints "<measure> <number>"';
    return [configProblem(where, field, expected, received, findMeant(script, sampled))];
  });
}

/** What its samplers may print. */
function listSampled({ measures }: Scenario): string[] {
  return listMeasures(measures).filter((name) => findMeasureRow(name, measures)?.from === 'sampler');
}

/** The measure that a word of a script may have been meant for. */
function findMeant(script: string, sampled: readonly string[]): string | undefined {
  const words = script.match(/[a-z]+(?:-[a-z]+)*/g) ?? [];
  return words.map((word) => nearestName(word, sampled)).find((name) => name !== undefined);
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
  const declared = loaded.scenario.measures;
  return (measures ?? []).flatMap((bound, index): ConfigProblem[] => {
    const at = (field: string): Pick<ConfigProblem, 'file' | 'path'> => ({
      file,
      path: `${path}.measures.${index}.${field}`,
    });
    const { measure, bySeconds } = bound;
    const row = findMeasureRow(measure, declared);
    if (row === undefined) return [describeUnknown(at('measure'), measure, listMeasures(declared))];
    const { from, least, most } = row;
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
        expected: `a \`${from}\`, which measures ${measure}`,
        received: 'none',
      });
    if (row.isEveryChange && bound.samples !== undefined)
      problems.push({
        ...at('samples'),
        expected: `no \`samples\`: every change of ${measure} is told, and one is enough`,
        received: String(bound.samples),
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
    return [...problems, ...checkRival(at('measure'), bound, (measures ?? []).slice(0, index), row.unit)];
  });
}

/** Bounds of one number that nothing can meet together. */
function checkRival(
  where: Pick<ConfigProblem, 'file' | 'path'>,
  bound: MeasureBound,
  before: readonly MeasureBound[],
  unit: string,
): ConfigProblem[] {
  const rival = before.find((other) => excludes(other, bound));
  if (rival === undefined) return [];
  const received = `${describeBound(bound, unit)} beside ${describeBound(rival, unit)}`;
  return [{ ...where, expected: 'bounds that can hold together', received }];
}

/** A measure that is neither built in nor declared. */
export function describeUnknown(
  { file, path }: Pick<ConfigProblem, 'file' | 'path'>,
  measure: string,
  known: readonly string[],
): ConfigProblem {
  const expected = `one of ${known.join(', ')}, or a name that \`measures\` of the scenario declares`;
  return configProblem(file, path, expected, JSON.stringify(measure), nearestName(measure, known));
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
