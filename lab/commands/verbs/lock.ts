import { join } from 'node:path';
import type { LockResult } from '../../model/saved/answers.ts';
import { LOCK_FILE, nameLocked, spellLocked, type Locked } from '../../model/components/component-lock.ts';
import { HostError } from '../../model/errors/errors.ts';
import { workDir, type ProjectFolders } from '../../model/host/project-folders.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { readProjectLock, writeProjectLock } from '../../../provision/components/lock.ts';
import { planLock } from '../../../provision/components/make-lock.ts';
import { listComponentsOfCells } from '../../world/run/save-origins.ts';
import { loadPlan } from '../setup/config.ts';
import type { RunVerb } from '../context/context.ts';

/** `whodunit lock [selector…]`: adds the digests of the programs that the cells need to components.lock.yaml. */
export const runLock: RunVerb = async (context, words, flags) => {
  const { config, plan } = loadPlan(context, words, flags);
  const cells = listComponentsOfCells({ host: context, ...config }, plan.cells);
  const { kept, added, lacking } = await planLock(context, config.catalogue, [
    ...cells,
    // Hosts without Terraform need it, whatever the cells are.
    { name: 'opentofu' },
  ]);
  const dryRun = flags.dryRun === true;
  if (!dryRun && added.length > 0) write(context, kept, added);
  const result: LockResult = {
    formatVersion: FORMAT_VERSION,
    file: join(workDir(context), LOCK_FILE),
    dryRun,
    added: [...added],
    kept: kept.length,
    lacking: [...lacking],
  };
  return { status: lacking.length === 0 ? 'passed' : 'host', json: result, text: () => render(result) };
};

/** Writes the lock. The lock of a project of one's own has only what it adds to the lock of whodunit. */
function write(folders: ProjectFolders, kept: readonly Locked[], added: readonly Locked[]): void {
  const folder = workDir(folders);
  try {
    writeProjectLock(folder, [...(folders.ownDir === undefined ? kept : readProjectLock(folder)), ...added]);
  } catch (error) {
    throw new HostError('LAB_HOST', `${LOCK_FILE} cannot be written: ${(error as Error).message}`, {
      tryNext: 'npx whodunit init (a project has a lock of its own)',
      cause: error,
    });
  }
}

function render({ file, dryRun, added, kept, lacking }: LockResult): string {
  const verb = dryRun ? 'would add' : 'added';
  return [
    `${file}: ${verb} ${added.length}, kept ${kept}`,
    ...added.map((component) => `  ${nameLocked(component)}\n    ${spellLocked(component)}`),
    ...(lacking.length === 0 ? [] : ['not locked:']),
    ...lacking.map(({ component, version, why }) => `  ${component} ${version}: ${why}`),
    '',
    lacking.length === 0
      ? dryRun && added.length > 0
        ? 'next: npx whodunit lock'
        : 'next: npx whodunit up --locked'
      : 'next: npx whodunit lock, when their servers answer',
  ].join('\n');
}
