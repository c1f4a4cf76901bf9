import { variantName } from '../model/axes.ts';
import type { Bug } from '../model/bug.ts';
import { cellAddress } from '../model/cell-address.ts';
import { configProblem, type ConfigProblem } from '../model/errors.ts';
import { nearestName } from '../model/nearest.ts';
import type { Origin } from '../model/origin.ts';
import type { AskedBug, Replay } from '../model/replay.ts';
import { digestOf } from './digest-scenario.ts';
import { changedTexts } from './fill-parameters.ts';
import type { Config } from './parse-config.ts';

/** Digits of a digest that a person is shown. */
const SHOWN = 12;

/** Checks that the project still has what a replay names: its bug, its scenarios, and the cells by their addresses. */
export function checkReplayNames(file: string, replay: Replay, config: Config): ConfigProblem[] {
  const ofCells = replay.cells.flatMap(({ address, scenario, variant, parameters = {} }, index) => {
    const at = { file, path: `cells.${index}` };
    const names = config.scenarios.map((each) => each.scenario.name);
    const loaded = config.scenarios.find((each) => each.scenario.name === scenario);
    if (loaded === undefined)
      return [
        problem(at, 'scenario', 'a scenario of this project', `"${scenario}"`, nearestName(scenario, names)),
      ];
    const own = cellAddress(
      variantName(variant),
      scenario,
      changedTexts(loaded.scenario.parameters, parameters),
    );
    return own === address ? [] : [problem(at, 'address', own, `"${address}"`)];
  });
  return [...checkAsked(file, replay.asked, config.bugs), ...ofCells];
}

function checkAsked(file: string, asked: AskedBug | undefined, bugs: readonly Bug[]): ConfigProblem[] {
  if (asked === undefined) return [];
  const at = { file, path: 'asked' };
  const bug = bugs.find(({ id }) => id === asked.bug);
  if (bug === undefined) {
    const nearest = nearestName(
      asked.bug,
      bugs.map(({ id }) => id),
    );
    return [problem(at, 'bug', 'a bug of this project', `"${asked.bug}"`, nearest)];
  }
  const digest = digestOf(bug);
  if (digest === asked.digest) return [];
  return [
    problem(at, 'digest', `${cut(asked.digest)} of bugs/${bug.id}.yaml`, `${cut(digest)}, which it has now`),
  ];
}

/**
 * Compares what a cell was made of with what it would be made of now: the scenario, and each component with its version
 * and digest. What is not in the cache any more is named too, since nobody knows what making it again would give.
 */
export function compareOrigins(
  file: string,
  index: number,
  before: Origin | undefined,
  now: Origin,
): ConfigProblem[] {
  const at = { file, path: `cells.${index}.origin` };
  if (before === undefined)
    return [problem(at, '', 'what the cell was made of', 'nothing: its run did not save it')];
  const problems: ConfigProblem[] = [];
  if (before.scenario.digest !== now.scenario.digest)
    problems.push(
      problem(
        at,
        'scenario.digest',
        `${cut(before.scenario.digest)} of scenarios/${before.scenario.name}/`,
        `${cut(now.scenario.digest)}, which it has now`,
      ),
    );
  const known = new Map(now.components.map((each) => [each.name, each]));
  before.components.forEach(({ name, version, digest }, place) => {
    const own = known.get(name);
    const path = `components.${place}`;
    const wanted = `${name} ${version}`;
    if (own === undefined)
      problems.push(problem(at, path, wanted, 'nothing: the cell does not have it any more'));
    else if (own.version !== version)
      problems.push(problem(at, `${path}.version`, wanted, `${name} ${own.version}`));
    else if (digest === undefined)
      problems.push(problem(at, `${path}.digest`, `a digest of ${wanted}`, 'none: it was a local build'));
    else if (own.digest === undefined)
      problems.push(
        problem(at, `${path}.digest`, `${cut(digest)} of ${wanted}`, 'nothing: it is gone from the cache'),
      );
    else if (own.digest !== digest)
      problems.push(problem(at, `${path}.digest`, `${cut(digest)} of ${wanted}`, cut(own.digest)));
  });
  return problems;
}

function problem(
  { file, path: base }: Pick<ConfigProblem, 'file' | 'path'>,
  field: string,
  expected: string,
  received: string,
  nearest?: string,
): ConfigProblem {
  return configProblem(file, field === '' ? base : `${base}.${field}`, expected, received, nearest);
}

function cut(digest: string): string {
  return digest.slice(0, SHOWN);
}
