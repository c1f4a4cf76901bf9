import { join } from 'node:path';
import { getText, listFolder } from '../../drivers/files/files.ts';
import { findIndexed, keepIndexed, stampProject } from '../../drivers/project/project-index.ts';
import {
  indexCatalogue,
  openKeptIndex,
  type CatalogueIndex,
  type KeptIndex,
} from '../../case/search/catalogue-index.ts';
import { listSearchEntries } from '../../case/search/search-entry.ts';
import type { ProjectFolders } from '../../model/host/project-folders.ts';
import type { Config } from '../../plan/config/parse-config.ts';

/** The name under which the index is kept. */
const INDEX = 'search';
/** The folder of the pages that are searched: those that people write. */
const DOCS = 'docs';

/** Loads the search index of bugs, scenarios, killers and docs. It is built again only if one of their files has changed. */
export function loadCatalogueIndex(
  folders: ProjectFolders,
  config: Pick<Config, 'bugs' | 'scenarios'>,
): CatalogueIndex {
  const { projectDir } = folders;
  const pages = listFolder(join(projectDir, DOCS))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(DOCS, name));
  const stamp = stampProject(folders, pages);
  const kept = findIndexed(INDEX, stamp);
  if (kept !== undefined) return openKeptIndex(kept as KeptIndex);
  const texts = pages.map((path) => ({ path, text: getText(join(projectDir, path)) }));
  const index = indexCatalogue(listSearchEntries(config, texts));
  keepIndexed(INDEX, stamp, index.toJSON());
  return index;
}
