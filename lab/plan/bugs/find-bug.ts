import type { Bug } from '../../model/declared/bug.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { formatHint } from '../../model/text/nearest.ts';

/**
 * Finds the bug that a word names: its id, one of its links (with or without fragment, query and final slash; issue
 * or pull request), or a short form such as `kubernetes#131567` or `kubernetes/kubernetes#131567`. Undefined when there is
 * none.
 *
 * @throws UsageError when a short form fits several.
 */
export function findBug(bugs: readonly Bug[], word: string): Bug | undefined {
  const byId = bugs.find((bug) => bug.id === word);
  if (byId !== undefined) return byId;
  const found = listReportedBugs(bugs, word);
  const [first, ...others] = found;
  if (others.length === 0) return first;
  const ids = found.map((bug) => bug.id).join(', ');
  throw new UsageError(`"${word}" fits several bugs: ${ids}`, { tryNext: 'name one of these' });
}

/**
 * The same, where a bug must be meant.
 *
 * @throws UsageError when there is none, with the nearest id.
 */
export function getBug(bugs: readonly Bug[], word: string): Bug {
  const found = findBug(bugs, word);
  if (found !== undefined) return found;
  const wanted = parseReportLink(word);
  const ids = bugs.map((bug) => bug.id);
  throw new UsageError(`there is no bug "${word}"${wanted === undefined ? formatHint(word, ids) : ''}`, {
    tryNext: 'npx whodunit bugs',
  });
}

/** The bugs that a link, its short form or only its number names. */
export function listReportedBugs(bugs: readonly Bug[], word: string): Bug[] {
  const wanted = parseReportLink(word) ?? /^#?(\d+)$/.exec(word)?.[1];
  return wanted === undefined ? [] : bugs.filter((bug) => bug.links.some((link) => fits(link, wanted)));
}

/**
 * Reduces a link to what names the report: `owner/repository#number`, or `repository#number` for a short form
 * without an owner; undefined for anything else. Repositories of the forge are not case-sensitive.
 */
export function parseReportLink(word: string): string | undefined {
  const link =
    /^(?:https?:\/\/)?(?:www\.)?github\.com\/([\w.-]+\/[\w.-]+)\/(?:issues|pull)\/(\d+)(?:[/?#].*)?$/i;
  const short = /^((?:[\w.-]+\/)?[\w.-]+)#(\d+)$/;
  const [, repository, number] = link.exec(word.trim()) ?? short.exec(word.trim()) ?? [];
  return repository === undefined ? undefined : `${repository.toLowerCase()}#${number}`;
}

function fits(link: string, wanted: string): boolean {
  const key = parseReportLink(link);
  return key !== undefined && (key === wanted || key.endsWith(`/${wanted}`) || key.endsWith(`#${wanted}`));
}
