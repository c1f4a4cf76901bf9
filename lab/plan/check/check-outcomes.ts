import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { howsOf, type How, type Killer } from '../../model/killers/killers.ts';
import { nearestName } from '../../model/text/nearest.ts';
import { isProcessGlob } from '../../model/declared/outcome.ts';
import type { LoadedScenario, Outcome } from '../../model/declared/scenario.ts';
import { outcomeOfEntry } from '../variants/find-rule.ts';

/**
 * Checks what a schema cannot say about the outcomes of a scenario: ways that the killer does not have, times that the cell
 * does not last, ends that are the same twice, and others who have to die and to survive.
 */
export function checkOutcomes({ scenario, folder }: LoadedScenario): ConfigProblem[] {
  const file = `${folder}/scenario.yaml`;
  const { expect: usual, variants, timeoutSeconds } = scenario;
  const outcomes = [
    { path: 'expect', outcome: usual, killer: usual.killer },
    ...variants.map(({ expect }, index) => ({
      path: `variants.${index}.expect`,
      outcome: expect,
      killer: expect.killer ?? usual.killer,
    })),
  ];
  const problems = [
    ...checkOnce(file, 'tags', scenario.tags),
    ...checkOnce(file, 'traits', scenario.traits),
    ...checkConditions(file, variants),
    ...outcomes.flatMap(({ path, outcome, killer }, index) => [
      ...checkFates(file, path, outcomeOfEntry(scenario, index === 0 ? undefined : index - 1)),
      ...checkHows(file, `${path}.how`, killer, outcome.how ?? []),
      ...(outcome.or ?? []).flatMap((other, index) =>
        checkHows(file, `${path}.or.${index}.how`, other.killer, other.how),
      ),
      ...checkRivals(file, path, killer, outcome),
      ...LISTS.flatMap((field) => checkOnce(file, `${path}.${field}`, outcome[field] ?? [])),
      ...checkTimes(file, path, outcome, timeoutSeconds),
    ]),
  ];
  problems.push(...checkWholes(file, scenario));
  if (usual.killer === 'none' && usual.survivesSeconds === undefined)
    problems.push(configProblem(file, 'expect.survivesSeconds', 'seconds to watch', 'nothing'));
  scenario.stimulus.forEach(({ afterSeconds }, index) => {
    if (afterSeconds === undefined || afterSeconds < timeoutSeconds) return;
    const expected = `less than the ${timeoutSeconds} s of timeoutSeconds`;
    problems.push(configProblem(file, `stimulus.${index}.afterSeconds`, expected, String(afterSeconds)));
  });
  return problems;
}

/** What an outcome accepts. */
const LISTS = ['level', 'how', 'reason', 'podReason', 'exitCode'] as const;

/** The first entry whose condition holds decides: another one with the same condition is never heard. */
function checkConditions(file: string, variants: LoadedScenario['scenario']['variants']): ConfigProblem[] {
  const conditions = variants.map(({ when }) => JSON.stringify(Object.entries(when).sort()));
  return conditions.flatMap((condition, index) => {
    const first = conditions.indexOf(condition);
    if (first === index) return [];
    const received = `that of variants.${first}, which decides`;
    return [configProblem(file, `variants.${index}.when`, 'a condition of its own', received)];
  });
}

/** Whoever has written the same twice has meant something else. */
function checkOnce(file: string, path: string, list: readonly (string | number)[]): ConfigProblem[] {
  return list.flatMap((item, index) =>
    list.indexOf(item) < index
      ? [configProblem(file, `${path}.${index}`, 'each value once', `${JSON.stringify(item)} twice`)]
      : [],
  );
}

function checkHows(file: string, path: string, killer: Killer, hows: readonly How[]): ConfigProblem[] {
  const known = howsOf(killer);
  return hows.flatMap((how, index) => {
    if (known.includes(how)) return [];
    const expected =
      known.length === 0 ? `no \`how\`: ${killer} has one way` : `a way of ${killer}: ${known.join(', ')}`;
    return [configProblem(file, `${path}.${index}`, expected, JSON.stringify(how), nearestName(how, known))];
  });
}

/** An entry of `variants` changes single fields: what `expect` says of others still holds with it. */
function checkFates(
  file: string,
  path: string,
  { alsoDies = [], alsoSurvives = [] }: Outcome,
): ConfigProblem[] {
  const both = alsoDies.filter((container) => alsoSurvives.includes(container));
  const long = alsoDies.filter(
    (container) => isProcessGlob(container) && nameOf(container).length > LONGEST_COMM,
  );
  const unseen = alsoSurvives.filter(isProcessGlob);
  return [
    ...both.map((container) => ({
      field: 'alsoDies',
      expected: 'nobody who has to survive (`alsoSurvives`)',
      container,
    })),
    ...long.map((container) => ({
      field: 'alsoDies',
      expected: `a process of at most ${LONGEST_COMM} characters, to which the kernel cuts its name`,
      container,
    })),
    ...unseen.map((container) => ({
      field: 'alsoSurvives',
      expected: 'a container: of a process in no pod only its end is recorded',
      container,
    })),
  ].map(({ field, expected, container }) =>
    configProblem(file, `${path}.${field}`, expected, JSON.stringify(container)),
  );
}

/** TASK_COMM_LEN of include/linux/sched.h, less the zero at its end. */
const LONGEST_COMM = 15;

function nameOf(glob: string): string {
  return glob.split('/').at(-1) ?? '';
}

type Ends = Partial<Pick<Outcome, 'or' | (typeof TIMES)[number]>>;

/** Times of an outcome that have to come before the cell is over. */
const TIMES = ['withinSeconds', 'notBeforeSeconds', 'survivesSeconds'] as const;

function checkRivals(file: string, path: string, killer: Killer, { or = [] }: Ends): ConfigProblem[] {
  return or.flatMap((other, index) =>
    other.killer === killer
      ? [
          configProblem(
            file,
            `${path}.or.${index}.killer`,
            `another killer than ${path}.killer`,
            JSON.stringify(killer),
          ),
        ]
      : [],
  );
}

function checkTimes(file: string, path: string, outcome: Ends, timeoutSeconds: number): ConfigProblem[] {
  return TIMES.flatMap((field) => {
    const seconds = outcome[field];
    if (seconds === undefined || seconds < timeoutSeconds) return [];
    const expected = `less than the ${timeoutSeconds} s of timeoutSeconds, after which the cell is over`;
    return [configProblem(file, `${path}.${field}`, expected, String(seconds))];
  });
}

/** Fields that only mean something for a victim that somebody ends. */
const OF_DEATHS = [
  'attempt',
  'notBeforeSeconds',
  'withinSeconds',
  'reason',
  'podReason',
  'exitCode',
] as const;
/** Fields that only mean something for one that nobody ends. */
const OF_SURVIVORS = ['neverStarts', 'survives'] as const;

/** What is wrong with `expect`, and what entries of `variants` add to it. */
function checkWholes(file: string, scenario: LoadedScenario['scenario']): ConfigProblem[] {
  const usual = checkWhole(file, 'expect', scenario.expect);
  const isKnown = (problem: ConfigProblem, path: string): boolean =>
    usual.some(
      (other) => other.expected === problem.expected && `${path}.${other.path}`.endsWith(problem.path),
    );
  return [
    ...usual,
    ...scenario.variants.flatMap((_, index) =>
      checkWhole(file, `variants.${index}.expect`, outcomeOfEntry(scenario, index)).filter(
        (problem) => !isKnown(problem, `variants.${index}`),
      ),
    ),
  ];
}

/** Fields that contradict each other. */
function checkWhole(file: string, path: string, outcome: Outcome): ConfigProblem[] {
  const { killer, withinSeconds, notBeforeSeconds, neverStarts } = outcome;
  const problem = (field: keyof Outcome, expected: string, received = show(outcome[field])): ConfigProblem =>
    configProblem(file, `${path}.${field}`, expected, received);
  const problems: ConfigProblem[] = [];
  if (withinSeconds !== undefined && notBeforeSeconds !== undefined && notBeforeSeconds >= withinSeconds)
    problems.push(problem('notBeforeSeconds', `less than the ${withinSeconds} s of withinSeconds`));
  const { reason = [], exitCode = [0] } = outcome;
  // The runtimes say Completed of the exit code 0, and of no other one.
  if (reason.length > 0 && reason.every((word) => word === 'Completed') && !exitCode.includes(0))
    problems.push(problem('reason', 'more than Completed, which has the exit code 0 only'));
  for (const field of OF_SURVIVORS)
    if (outcome[field] !== undefined && killer !== 'none')
      problems.push(problem(field, `only with killer none, and not with ${killer}`));
  if (neverStarts === undefined) return problems;
  for (const field of [...OF_DEATHS, 'survives', 'exceedsLimit', 'then'] as const)
    if (outcome[field] !== undefined)
      problems.push(problem(field, 'nothing about a container that has run, beside neverStarts'));
  return problems;
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
