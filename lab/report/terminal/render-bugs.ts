import type { Found } from '../../model/saved/found.ts';
import type { BugsResult } from '../../model/saved/repro.ts';
import { shellWord } from '../../model/text/shell.ts';
import { INDENTED, textTable } from '../text/text-table.ts';

/**
 * Renders `whodunit bugs`: each bug with what it compares and where it was reported, similar entries, and the next command.
 *
 * @param words what was searched for.
 */
export function renderBugs({ bugs, near = [] }: BugsResult, words: readonly string[] = []): string {
  const lines = bugs.flatMap((bug) => [
    `${bug.id}  (${bug.status})`,
    `  ${bug.title}`,
    `  ${bug.affected} against ${bug.fixed}${bug.controls.length === 0 ? '' : `, control ${bug.controls.join(', ')}`}: scenario ${bug.scenario}`,
    ...describeFirst(bug),
    ...bug.links.map((link) => `  ${link}`),
    '',
  ]);
  const [first] = bugs;
  if (first === undefined && words.length === 0) return 'no bugs yet';
  const none =
    first === undefined ? [`no bug has ${words.map((word) => `"${word}"`).join(' and ')}`, ''] : [];
  return [...none, ...lines, ...renderNear(near), `next: npx whodunit ${nextOf(first, near, words)}`].join(
    '\n',
  );
}

/** The versions with which a bug came and went, of each release line. */
function describeFirst({ firstBad = [], firstGood = [] }: BugsResult['bugs'][number]): string[] {
  const parts = [
    ...(firstBad.length === 0 ? [] : [`first bad ${firstBad.join(', ')}`]),
    ...(firstGood.length === 0 ? [] : [`first good ${firstGood.join(', ')}`]),
  ];
  return parts.length === 0 ? [] : [`  ${parts.join('; ')}`];
}

function renderNear(near: readonly Found[]): string[] {
  return near.length === 0 ? [] : ['near', ...listFound(near), ''];
}

/** What was found, a line each: kind, name, and why. */
export function listFound(found: readonly Found[]): string[] {
  return textTable(
    found.map(({ kind, name, why }) => [kind, name, why]),
    INDENTED,
  );
}

function nextOf(
  first: BugsResult['bugs'][number] | undefined,
  near: readonly Found[],
  words: readonly string[],
): string {
  const [word = ''] = words;
  if (first !== undefined) return `repro ${first.id}`;
  if (/^https:\/\//.test(word)) return `new bug ${shellWord(word)}`;
  const bug = near.find(({ kind }) => kind === 'bug');
  return bug === undefined
    ? 'new bug <link of the report>'
    : `repro ${bug.name}, or new bug <link of the report>`;
}
