import { join } from 'node:path';
import type { LockResult } from '../../model/saved/answers.ts';
import { LOCK_FILE, nameLocked, spellLocked } from '../../model/components/component-lock.ts';
import { HostError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { writeProjectLock } from '../../../provision/components/lock.ts';
import { planLock } from '../../../provision/components/make-lock.ts';
import { listComponentsOfCells } from '../../world/run/save-origins.ts';
import { loadPlan } from '../setup/config.ts';
import type { RunVerb } from '../context/context.ts';

/** `whodunit lock [selector…]`: adds the digests of what the cells need to the lock of the project. */
export const runLock: RunVerb = async (context, words, flags) => {
  const { config, plan } = loadPlan(context, words, flags);
  const cells = listComponentsOfCells({ host: context, ...config }, plan.cells);
  const { kept, added, lacking } = await planLock(context, config.catalogue, [
    ...cells,
    // Needed where there is no Terraform, which is about the host and not about a cell.
    { name: 'opentofu' },
  ]);
  const dryRun = flags.dryRun === true;
  if (!dryRun && added.length > 0) write(context.projectDir, [...kept, ...added]);
  const result: LockResult = {
    formatVersion: FORMAT_VERSION,
    file: join(context.projectDir, LOCK_FILE),
    dryRun,
    added: [...added],
    kept: kept.length,
    lacking: [...lacking],
  };
  return { status: lacking.length === 0 ? 'passed' : 'host', json: result, text: () => render(result) };
};

function write(projectDir: string, locked: Parameters<typeof writeProjectLock>[1]): void {
  try {
    writeProjectLock(projectDir, locked);
  } catch (error) {
    throw new HostError('LAB_HOST', `${LOCK_FILE} cannot be written: ${(error as Error).message}`, {
      tryNext: 'lock in a clone of the project: an installed whodunit cannot be changed',
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
      ? 'next: npx whodunit up --locked'
      : 'next: npx whodunit lock, when their servers answer',
  ].join('\n');
}
