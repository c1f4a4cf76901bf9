import { join } from 'node:path';
import { isMap, isNode, isScalar, parseDocument, type Pair } from 'yaml';
import { findText, writeTextAtomic } from '../../drivers/files/files.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { bugSchema } from '../../model/declared/bug.ts';
import type { BisectHead, BisectResult } from '../../model/saved/search.ts';
import { workDir } from '../../model/host/project-folders.ts';
import { compareValues } from '../../model/components/value-order.ts';
import { listDifferencesOfSides } from '../../plan/bugs/bug-cells.ts';
import { spellPath } from '../context/spell-path.ts';
import type { Context } from '../context/context.ts';
import { loadQuietly } from '../setup/config.ts';

/** The file of a bug, before it is changed. */
interface BugFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the file into which the answer of a search is written. It is called before the search, which may take hours.
 *
 * @throws UsageError when the search is not for a bug, when the bug is not in this project, or when its sides differ in
 *   another axis too.
 */
export function getWritableBugFile(
  context: Context,
  { bug, axis }: Pick<BisectHead, 'bug' | 'axis'>,
): BugFile {
  if (bug === undefined)
    throw new UsageError('the search is for a cell, and --write writes into the file of a bug', {
      tryNext: 'npx whodunit bisect <bug> --write',
    });
  const path = join(workDir(context), 'bugs', `${bug}.yaml`);
  const text = findText(path);
  if (text === undefined)
    throw new UsageError(`there is no file ${spellPath(path)}`, {
      tryNext: 'name a bug of your own project',
    });
  const sides = bugSchema.parse(parseDocument(text).toJS());
  const loaded = loadQuietly(context).scenarios.find(({ scenario }) => scenario.name === sides.scenario);
  const others =
    loaded === undefined ? [] : listDifferencesOfSides(sides, loaded).filter((name) => name !== axis);
  if (others.length > 0)
    throw new UsageError(
      `the sides of ${bug} also differ in ${others.join(' and ')}, so a version of ${axis} does not explain the bug`,
      { tryNext: `npx whodunit bisect ${bug} --axis ${axis} (without --write)` },
    );
  return { path, text };
}

/**
 * Writes the first bad or the first good version of each release line into the file of the bug. It writes only versions that
 * are certain: next to a version that could not be observed, none is.
 *
 * @returns lines for the page of the search.
 */
export function writeFirstVersions(
  { path, text }: BugFile,
  { isFix, lines, outcome }: Pick<BisectResult, 'isFix' | 'lines' | 'outcome'>,
): string[] {
  const found = lines.flatMap(({ outcome: ofLine, lastGood, firstBad, among }) => {
    const first = isFix ? lastGood : firstBad;
    return ofLine === 'found' && first !== undefined && among.length === 1 ? [first] : [];
  });
  if (outcome !== 'found' || found.length === 0)
    return [`wrote    nothing into ${spellPath(path)}: no first version is known for sure`];
  const field = isFix ? 'firstGood' : 'firstBad';
  writeTextAtomic(path, writeField(text, field, found.toSorted(compareValues)));
  return [`wrote    ${field} of ${spellPath(path)}`];
}

/** Returns the text of a bug's file with a field replaced, or added after `fixed`. Every other character stays the same. */
function writeField(text: string, field: string, values: readonly string[]): string {
  const quoted = values.map((value) => `'${value.replaceAll("'", "''")}'`);
  const line = `${field}: [${quoted.join(', ')}]`;
  const { contents } = parseDocument(text);
  const pairs = isMap(contents) ? contents.items : [];
  const placeOf = (name: string): readonly [number, number] | undefined => rangeOf(pairs, name);
  const old = placeOf(field);
  if (old !== undefined) return `${text.slice(0, old[0])}${line}${text.slice(old[1])}`;
  const end = text.indexOf('\n', placeOf('fixed')?.[1] ?? text.length);
  const at = end < 0 ? text.length : end;
  return `${text.slice(0, at)}\n${line}${text.slice(at)}`;
}

/** Returns the offsets at which a field begins and its value ends. */
function rangeOf(pairs: readonly Pair[], name: string): readonly [number, number] | undefined {
  const pair = pairs.find(({ key }) => isScalar(key) && key.value === name);
  if (pair === undefined || !isNode(pair.key) || !isNode(pair.value)) return undefined;
  const [from, to] = [pair.key.range?.[0], pair.value.range?.[1]];
  return from === undefined || to === undefined ? undefined : [from, to];
}
