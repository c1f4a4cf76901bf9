import { join, resolve } from 'node:path';
import { ensureFolder, getText, pathExists, writeTextAtomic } from '../../drivers/files/files.ts';
import { isProject } from '../../drivers/project/find-project.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { PROJECT_FILE } from '../../model/host/project-folders.ts';
import type { InitResult } from '../../model/saved/answers.ts';
import { shellWord } from '../../model/text/shell.ts';
import { loadWholeConfig } from '../setup/config.ts';
import { FIRST_SCENARIO, IGNORED, projectSkeleton } from '../../plan/config/project-skeleton.ts';
import type { RunVerb } from '../context/context.ts';
import { spellPath } from '../context/spell-path.ts';

/** `whodunit init [folder]`: makes a folder a project. Existing files are kept. */
export const runInit: RunVerb = async ({ projectDir }, [folder = '.']) => {
  const ownDir = resolve(folder);
  if (ownDir === resolve(projectDir))
    throw new UsageError(`${ownDir} is the folder of whodunit itself, whose scenarios are its own`, {
      tryNext: 'npx whodunit init my-tests, or npx whodunit new scenario my-scenario',
    });
  if (isProject(ownDir))
    throw new UsageError(`${ownDir} is a project already: it has a ${PROJECT_FILE}`, {
      tryNext: 'npx whodunit new scenario my-scenario',
    });
  const written: string[] = [];
  const kept: string[] = [];
  for (const { path, text } of projectSkeleton()) {
    const file = join(ownDir, path);
    const present = path === '.gitignore' && pathExists(file) ? getText(file) : undefined;
    if (present !== undefined) writeTextAtomic(file, ignoreMore(present));
    if (pathExists(file)) {
      kept.push(spellPath(file));
      continue;
    }
    ensureFolder(join(file, '..'));
    writeTextAtomic(file, text);
    written.push(spellPath(file));
  }
  // Problems in files that existed before are reported now.
  loadWholeConfig({ projectDir, ownDir });
  const result: InitResult = { formatVersion: FORMAT_VERSION, folder: ownDir, files: written, kept };
  return { status: 'passed', json: result, text: () => render(result, folder) };
};

/** Returns the text of a `.gitignore` with the entries for what the lab writes. */
function ignoreMore(text: string): string {
  const lines = text.split('\n').map((line) => line.trim().replace(/^\/|\/$/g, ''));
  const lacking = IGNORED.filter((entry) => !lines.includes(entry.replace(/\/$/, '')));
  return [text.replace(/\n*$/, ''), ...lacking].filter((part) => part !== '').join('\n') + '\n';
}

function render({ files, kept }: InitResult, folder: string): string {
  const go = folder === '.' ? '' : `cd ${shellWord(folder)} && `;
  return [
    ...files,
    ...kept.map((file) => `${file} (was there)`),
    '',
    `next: ${go}npx whodunit list ${FIRST_SCENARIO}`,
  ].join('\n');
}
