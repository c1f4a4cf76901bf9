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

/** The file of a bug, as it is now. */
interface BugFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Finds the file that the answer of a search is to be written into. It is asked before the search, which may take hours.
 *
 * @throws UsageError when the search is not for a bug, its file is elsewhere, or its versions would be of no one axis.
 */
export function getBugFile(context: Context, { bug, axis }: Pick<BisectHead, 'bug' | 'axis'>): BugFile {
  if (bug === undefined)
    throw new UsageError('the search is for a cell, and --write writes into the file of a bug', {
      tryNext: 'npx whodunit bisect <bug> --write',
    });
  const path = join(workDir(context), 'bugs', `${bug}.yaml`);
  const text = findText(path);
  if (text === undefined)
    throw new UsageError(`${spellPath(path)} is not there`, { tryNext: 'name a bug of your own project' });
  const sides = bugSchema.parse(parseDocument(text).toJS());
  const loaded = loadQuietly(context).scenarios.find(({ scenario }) => scenario.name === sides.scenario);
  const others =
    loaded === undefined ? [] : listDifferencesOfSides(sides, loaded).filter((name) => name !== axis);
  if (others.length > 0)
    throw new UsageError(
      `the sides of ${bug} differ in ${others.join(' and ')} too, so that a version of ${axis} says little of it`,
      { tryNext: `npx whodunit bisect ${bug} --axis ${axis} (without --write)` },
    );
  return { path, text };
}

/**
 * Writes the first bad or the first good version of each release line into the file of the bug. Nothing is written unless the
 * first one is known for sure: behind a version that could not be observed it is not.
 *
 * @returns lines that say so.
 */
export function writeFound(
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

/** The text of a bug's file with a field of it, which is added behind `fixed`. The rest stays to the letter: others read it. */
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

/** Where a field begins, and where its value ends. */
function rangeOf(pairs: readonly Pair[], name: string): readonly [number, number] | undefined {
  const pair = pairs.find(({ key }) => isScalar(key) && key.value === name);
  if (pair === undefined || !isNode(pair.key) || !isNode(pair.value)) return undefined;
  const [from, to] = [pair.key.range?.[0], pair.value.range?.[1]];
  return from === undefined || to === undefined ? undefined : [from, to];
}
