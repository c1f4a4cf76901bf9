import { matchGlob } from '../../model/text/match-glob.ts';
import { DEFAULT_SET } from '../../model/declared/matrix.ts';
import type { Broken } from '../config/broken.ts';
import type { Config } from '../config/parse-config.ts';
import { parseReportLink } from '../bugs/find-bug.ts';
import type { Selector } from './parse-selector.ts';

/** The configuration as words choose from it: with what is used in place of the scenarios that are broken. */
export function withBroken(config: Config): Config {
  const { broken, scenarios } = config;
  if (broken.scenarios.length === 0) return config;
  const all = [...scenarios, ...broken.scenarios.map(({ standIn }) => standIn)];
  return {
    ...config,
    scenarios: all.toSorted((one, other) => (one.scenario.name < other.scenario.name ? -1 : 1)),
  };
}

/**
 * The broken parts that words choose, by name, by a glob or by a set: whoever asks for all of a set wants to hear that one
 * of them is missing.
 *
 * @param scenarios names of the scenarios of the chosen cells.
 */
export function listChosenBroken(
  { broken, matrix }: Config,
  selector: Selector,
  scenarios: ReadonlySet<string>,
): Broken[] {
  const { globs, axes, parameters, tags, bugs, sets } = selector;
  const words = [globs, tags, bugs, sets, selector.scenarios, Object.keys(axes), Object.keys(parameters)];
  const isBare = words.every((list) => list.length === 0);
  // Other words choose among the cells of a set: then the cells themselves tell.
  const isWholeSet = globs.length + tags.length + selector.scenarios.length === 0;
  const named = Object.keys(matrix.sets).filter((name) =>
    isBare ? name === DEFAULT_SET : sets.some((glob) => matchGlob(glob, name)),
  );
  const wanted = [...bugs, ...(isWholeSet ? named.flatMap((name) => matrix.sets[name]?.bugs ?? []) : [])];
  // A scenario with unreadable tags and parameters may be among those that a set chooses by them.
  const ofSets = isWholeSet
    ? named.flatMap((name) => (matrix.sets[name]?.blocks ?? []).flatMap((block) => block.scenarios))
    : [];
  return [
    ...broken.scenarios.filter(
      ({ name, isReadable }) =>
        scenarios.has(name) || (!isReadable && ofSets.some((glob) => matchGlob(glob, name))),
    ),
    ...broken.bugs.filter(({ name }) => wanted.some((glob) => matchGlob(glob, name))),
  ];
}

/** The broken bug that a word names: by its id, or by a link of it. */
export function findBrokenBug({ broken }: Config, word: string): Broken | undefined {
  const link = parseReportLink(word);
  return broken.bugs.find(
    ({ name, links }) =>
      name === word || (link !== undefined && links.some((own) => parseReportLink(own) === link)),
  );
}
