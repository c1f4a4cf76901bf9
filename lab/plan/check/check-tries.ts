import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { COUNT_LIMITS } from '../../model/limits/count-limits.ts';
import { fewestToSettle } from '../../model/rates/settle-share.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { matchesSelector } from '../../model/declared/selector.ts';
import { countTries, describeShareBound, type Tries } from '../../model/declared/tries.ts';
import { get, listManifests, listPods } from './list-objects.ts';

/** Fields of an outcome that say nothing of each of many deaths. */
const OF_ONE = ['attempt', 'then', 'neverStarts', 'survives', 'survivesSeconds', 'exceedsLimit'] as const;
/** What is counted from the last stimulus, which comes once. */
const OF_STIMULUS = ['withinSeconds', 'notBeforeSeconds'] as const;

/** Stimuli that go on, or that may: of each other one the first death is the last. */
const LASTING = ['node-command', 'create', 'slow-disk'];

type AddProblem = (path: string, expected: string, received: string) => ConfigProblem;

/** Checks what a scenario with many deaths in one cell may not have, and shares without any. */
export function checkTries(loaded: LoadedScenario): ConfigProblem[] {
  const { scenario, folder } = loaded;
  const { tries, expect, variants, stimulus, victim } = scenario;
  const problem: AddProblem = (path, expected, received) =>
    configProblem(`${folder}/scenario.yaml`, path, expected, received);
  const outcomes = [
    { path: 'expect', own: expect },
    ...variants.map(({ expect: own }, index) => ({ path: `variants.${index}.expect`, own })),
  ];
  if (tries === undefined)
    return outcomes
      .filter(({ own }) => own.shares !== undefined)
      .map(({ path }) => problem(`${path}.shares`, '`tries`, of whose deaths it is a share', 'none'));
  const excluded = stimulus.length === 0 ? OF_ONE : [...OF_ONE, ...OF_STIMULUS];
  return [
    ...outcomes.flatMap(({ path, own }) => [
      ...(own.killer === 'none'
        ? [problem(`${path}.killer`, 'a death, which `tries` counts', '"none"')]
        : []),
      ...excluded
        .filter((field) => own[field] !== undefined)
        .map((field) =>
          problem(
            `${path}.${field}`,
            'nothing about one death only, beside `tries`',
            JSON.stringify(own[field]),
          ),
        ),
      ...checkShares(own.shares ?? [], tries, `${path}.shares`, problem),
    ]),
    ...(victim.onNode === undefined
      ? []
      : [problem('victim.onNode', 'no `onNode` beside `tries`: the API counts the deaths', victim.onNode)]),
    ...stimulus.flatMap(({ kind }, index) => {
      if (LASTING.includes(kind)) return [];
      const expected = `one of ${LASTING.join(', ')}: with \`tries\` others come once, and not for each death`;
      return [problem(`stimulus.${index}.kind`, expected, kind)];
    }),
    ...checkPolicies(loaded, tries, problem),
  ];
}

/** A share that so many deaths can never settle would leave each cell open. */
function checkShares(
  shares: NonNullable<LoadedScenario['scenario']['expect']['shares']>,
  tries: Tries,
  at: string,
  problem: AddProblem,
): ConfigProblem[] {
  const deaths = countTries(tries);
  const most = COUNT_LIMITS.deaths.count;
  return shares.flatMap((bound, index) => {
    const needed = fewestToSettle(bound, deaths, most);
    if (needed === deaths) return [];
    const more =
      needed === undefined ? `not even ${most} settle it` : `at least ${needed}, if all of them are as hoped`;
    const expected = `a share that ${deaths} deaths can settle (${more})`;
    return [problem(`${at}.${index}`, expected, describeShareBound(bound))];
  });
}

/** A pod that is made again must not restart by itself, and one that is to restart must. */
function checkPolicies(loaded: LoadedScenario, tries: Tries, problem: AddProblem): ConfigProblem[] {
  const { victim } = loaded.scenario;
  const policies = listPods(listManifests(loaded))
    .filter(
      ({ namespace, labels, ofJob }) =>
        namespace === victim.namespace && (ofJob || matchesSelector(victim.selector, labels)),
    )
    .flatMap(({ containers, restartPolicy = 'Always' }) =>
      containers
        .filter(({ name, own }) => name === victim.container && get(own, 'restartPolicyRules') === undefined)
        .map(({ own }) => get(own, 'restartPolicy') ?? restartPolicy),
    );
  const restarting = policies.find((policy) => policy !== 'Never');
  if (tries.pods !== undefined && restarting !== undefined)
    return [
      problem(
        'tries.pods',
        'restartPolicy Never of the pod, of which another one follows',
        JSON.stringify(restarting),
      ),
    ];
  if (tries.restarts !== undefined && policies.includes('Never'))
    return [problem('tries.restarts', 'a pod that restarts its containers', 'restartPolicy Never')];
  return [];
}
