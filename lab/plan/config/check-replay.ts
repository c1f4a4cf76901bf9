import { variantName } from '../../model/axes/axes.ts';
import type { Bug } from '../../model/declared/bug.ts';
import { cellAddress } from '../../model/host/cell-address.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { COUNT_LIMITS, spellCount } from '../../model/limits/count-limits.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { Origin, PlannedOrigin, PlannedOriginWorld, UsedComponent } from '../../model/saved/origin.ts';
import { replaySchema, type AskedBug, type Replay } from '../../model/saved/replay.ts';
import { parseOne, type ConfigFile } from '../../model/files/yaml-file.ts';
import { checkAxisValues, checkParameterValues } from '../check/check-values.ts';
import { digestOf } from '../parameters/digest-scenario.ts';
import { changedTexts } from '../parameters/fill-parameters.ts';
import type { Config } from './parse-config.ts';

/** Where in the replay something is said. */
type Place = Pick<ConfigProblem, 'file' | 'path'>;

/** Digits of a digest that a person is shown. */
const SHOWN = 12;

/** Reads a `replay.yaml`, whatever the project has of it. Undefined when it is wrong, which is added to the problems. */
export function parseReplay(file: ConfigFile, problems: ConfigProblem[]): Replay | undefined {
  const replay = parseOne(file, replaySchema, problems);
  if (replay === undefined) return undefined;
  const { count } = COUNT_LIMITS.replayedCells;
  if (replay.cells.length > count) {
    const received = spellCount(replay.cells.length);
    problems.push(configProblem(file.path, 'cells', `at most ${spellCount(count)} cells`, received));
    return undefined;
  }
  return replay;
}

/**
 * Checks that the project still has what a replay names: its bug, its scenarios, the values of axes and parameters, and the
 * cells by their addresses.
 */
export function checkReplayNames(file: string, replay: Replay, config: Config): ConfigProblem[] {
  const names = config.scenarios.map((declared) => declared.scenario.name);
  const scenarios = new Map(config.scenarios.map((declared) => [declared.scenario.name, declared]));
  const ofCells = replay.cells.flatMap(({ address, scenario, variant, parameters = {} }, index) => {
    const at = { file, path: `cells.${index}` };
    const loaded = scenarios.get(scenario);
    if (loaded === undefined)
      return [
        problem(at, 'scenario', 'a scenario of this project', `"${scenario}"`, nearestName(scenario, names)),
      ];
    const ofValues = [
      ...checkAxisValues({ file, path: `${at.path}.variant` }, variant, config.matrix),
      ...checkParameterValues(
        { file, path: `${at.path}.parameters` },
        parameters,
        loaded.scenario.parameters,
      ),
    ];
    if (ofValues.length > 0) return ofValues;
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
 * Compares what a cell was made of with what it would be made of now: the scenario, each component with its version
 * and digest, and the world. What is not in the cache any more is named too, since nobody knows what making it again
 * would give.
 */
export function compareOrigins(
  file: string,
  index: number,
  before: Origin | undefined,
  now: PlannedOrigin,
): ConfigProblem[] {
  const at = { file, path: `cells.${index}.origin` };
  if (before === undefined)
    return [problem(at, '', 'what the cell was made of', 'nothing: its run did not save it')];
  const known = new Map(now.components.map((component) => [component.name, component]));
  return [
    ...compareScenarios(at, before.scenario, now.scenario),
    ...before.components.flatMap((component, place) =>
      compareComponents(
        { file, path: `${at.path}.components.${place}` },
        component,
        known.get(component.name),
      ),
    ),
    ...(before.world === undefined ? [] : compareWorlds(at, before.world, now.world)),
  ];
}

function compareScenarios(
  at: Place,
  { name, digest }: Origin['scenario'],
  now: Origin['scenario'],
): ConfigProblem[] {
  if (now.digest === digest) return [];
  const wanted = `${cut(digest)} of scenarios/${name}/`;
  return [problem(at, 'scenario.digest', wanted, `${cut(now.digest)}, which it has now`)];
}

function compareComponents(
  at: Place,
  { name, version, digest }: UsedComponent,
  now: UsedComponent | undefined,
): ConfigProblem[] {
  const wanted = `${name} ${version}`;
  if (now === undefined) return [problem(at, '', wanted, 'nothing: the cell does not have it any more')];
  if (now.version !== version) return [problem(at, 'version', wanted, `${name} ${now.version}`)];
  if (digest === undefined)
    return [problem(at, 'digest', `a digest of ${wanted}`, 'none: it was a local build')];
  if (now.digest === digest) return [];
  const received = now.digest === undefined ? 'nothing: it is gone from the cache' : cut(now.digest);
  return [problem(at, 'digest', `${cut(digest)} of ${wanted}`, received)];
}

/** The key is compared where the image is the same: another image makes another key by itself. */
function compareWorlds(
  at: Place,
  { name, image, key }: NonNullable<Origin['world']>,
  now: PlannedOriginWorld,
): ConfigProblem[] {
  const ofImage = (received: string): ConfigProblem[] => [
    problem(at, 'world.image', `image ${cut(image)} of world ${name}`, received),
  ];
  if (now.image === undefined) return ofImage('nothing: not all of its components are in the cache');
  if (now.image !== image) return ofImage(`${cut(now.image)}, which it would have now`);
  if (now.key === undefined) return ofImage('nothing: it is gone from the cache');
  if (now.key.digest === key) return [];
  const received = `${cut(now.key.digest)}, which it would have now with ${now.key.host}`;
  return [problem(at, 'world.key', `key ${cut(key)} of world ${name}`, received)];
}

function problem(
  { file, path: base }: Place,
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
