import { searchCatalogue } from '../../case/search/catalogue-index.ts';
import { isLink, searchLink } from '../../case/search/search-link.ts';
import { pathExists } from '../../drivers/files/files.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { ProjectFolders } from '../../model/host/project-folders.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { listFound } from '../../report/terminal/render-bugs.ts';
import { isMissingPath } from '../context/missing-path.ts';
import { loadCatalogueIndex } from '../setup/load-catalogue-index.ts';

/** The most similar entries in the error. */
const MOST_NEAR = 5;

/**
 * Refuses a name or a link that no bug has.
 *
 * @throws UsageError with similar entries, each with a reason, and with the command that makes a bug of the report.
 */
export function refuseUnknownBug(folders: ProjectFolders, config: Config, word: string): never {
  if (pathExists(word))
    throw new UsageError(`${shellWord(word)} is neither a bug nor a replay.yaml of an export`, {
      tryNext: 'npx whodunit bugs lists the bugs; whodunit export writes a replay.yaml',
    });
  if (isMissingPath(word))
    throw new UsageError(
      `there is no file or folder ${shellWord(word)}, and repro takes a bug, a link or a replay.yaml`,
      { tryNext: 'npx whodunit bugs lists the bugs; whodunit export writes a replay.yaml' },
    );
  const index = loadCatalogueIndex(folders, config);
  const asked = isLink(word);
  const near = asked
    ? searchLink(index, word, { most: MOST_NEAR })
    : searchCatalogue(index, word, { most: MOST_NEAR, kinds: ['bug', 'scenario'] });
  const hint = asked
    ? ''
    : formatHint(
        word,
        config.bugs.map(({ id }) => id),
      );
  const lines = [
    `there is no bug "${word}"${hint}`,
    ...(near.length === 0 ? [] : ['near', ...listFound(near)]),
  ];
  throw new UsageError(lines.join('\n'), {
    tryNext: asked
      ? `npx whodunit case <file with its text>, npx whodunit bugs <words of it>, or npx whodunit new bug ${shellWord(word)}`
      : ['npx whodunit bugs', ...(near.length === 0 ? [] : [shellWord(word)])].join(' '),
  });
}
