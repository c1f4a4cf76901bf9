import { parseLocalBuild } from '../../model/components/local-build.ts';
import type { Bug } from '../../model/declared/bug.ts';
import { shellWord } from '../../model/text/shell.ts';
import { selectCells, type Candidate } from '../../plan/cells/expand-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { parseSelector } from '../../plan/select/parse-selector.ts';
import { findRefusal } from '../../plan/variants/find-rule.ts';
import { findPart, isSearchable } from './list-values.ts';
import { addressOfCell } from './searched-cell.ts';

/** A search whose ends are not versions of one program. */
interface UnsearchableEnds {
  readonly cell: Candidate;
  readonly axis: string;
  readonly good: string;
  readonly bad: string;
  readonly bug: Bug | undefined;
}

/**
 * Proposes commands in place of a search whose ends are not versions of one program. A bug whose fixed side is another setting
 * may name a first good version of the affected side's setting; the table of the bug may say on which variant that one runs.
 */
export function proposeEnds(config: Config, ends: UnsearchableEnds): string {
  const { cell, axis, good, bad, bug } = ends;
  const [redAddress = '', greenAddress = ''] = [bad, good].map((value) =>
    addressOfCell(cell, { [axis]: value }),
  );
  const difference = `npx whodunit difference ${shellWord(redAddress)} ${shellWord(greenAddress)}`;
  if (bug === undefined) return difference;
  const own = `--good: a version of ${axis} beside ${bad} that does not have the bug`;
  return [findSearch(config, ends, bug) ?? own, difference].join('; or ');
}

/** Returns the search from the affected side of a bug to a first good version of the same setting; undefined without one. */
function findSearch(config: Config, { cell, axis, bad }: UnsearchableEnds, bug: Bug): string | undefined {
  const { selector } = parseSelector(config, [`bug=${bug.id}`]);
  const variants = [cell, ...selectCells(config, selector).cells].map(({ variant }) => variant);
  for (const good of bug.firstGood ?? []) {
    if (good === bad || !isSearchable(axis, good, bad)) continue;
    const isRunnable = (variant: Candidate['variant']): boolean =>
      [good, bad].every((value) => findRefusal(config.matrix, { ...variant, [axis]: value }) === undefined);
    const variant = variants.find(isRunnable);
    if (variant === undefined) continue;
    const address = addressOfCell({ ...cell, variant }, { [axis]: bad });
    return `npx whodunit bisect ${shellWord(address)} --axis ${axis} --good ${shellWord(good)}`;
  }
  return undefined;
}

/**
 * Proposes the line by which git itself searches the commits of a checkout, where one of the ends is a build of one; undefined
 * where none is. The checkout is then built as it is in its folder, which is what `git bisect` changes.
 */
export function proposeCommits(
  config: Config,
  { cell, axis, good, bad }: Omit<UnsearchableEnds, 'bug'>,
): string | undefined {
  const [atGood, atBad] = [good, bad].map((value) => findCheckout(config, { cell, axis }, value));
  const { value, path } = atGood ?? atBad ?? {};
  if (value === undefined || path === undefined) return undefined;
  const git = `git -C ${shellWord(path)} bisect`;
  const ends = [atBad?.ref ?? '<bad commit>', atGood?.ref ?? '<good commit>'].map(shellWord).join(' ');
  const address = addressOfCell(cell, { [axis]: value });
  const run = `npx whodunit run --exit-for git-bisect ${shellWord(address)}`;
  // git runs it in the checkout, and paths of a cell begin in the project.
  return `${git} start ${ends}; ${git} run env --chdir="$PWD" ${run}`;
}

/** A checkout that a value names, the value without its commit, and the commit. */
interface NamedCheckout {
  readonly value: string;
  readonly path: string;
  readonly ref: string | undefined;
}

function findCheckout(
  config: Config,
  place: Pick<UnsearchableEnds, 'cell' | 'axis'>,
  value: string,
): NamedCheckout | undefined {
  const build = parseLocalBuild(findPart(config, place, value)?.version ?? '');
  if (build?.kind !== 'git') return undefined;
  const { path, ref } = build;
  return { value: ref === undefined ? value : value.replace(`#${ref}`, ''), path, ref };
}
