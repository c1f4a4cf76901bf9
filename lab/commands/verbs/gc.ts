import type { GcResult } from '../../model/saved/answers.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { joinLines } from '../../report/text/text-table.ts';
import { collectGarbage, type GarbageReport } from '../../world/host/collect-garbage.ts';
import { findUnreadLeases } from '../../world/host/garbage.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { spellPath } from '../context/spell-path.ts';
import { takeLock } from '../setup/take-lock.ts';

/** The most unreadable lines that are named. */
const SHOWN_UNREAD = 5;

/** `whodunit gc [--dry-run] [--json]`: removes what dead labs left behind. */
export const runGc: RunVerb = async (context, _words, flags) => {
  const dryRun = flags.dryRun === true;
  const report = dryRun ? await collectGarbage(context, { dryRun }) : await collectLocked(context, flags);
  const result: GcResult = {
    formatVersion: FORMAT_VERSION,
    dryRun,
    removed: report.removed.map(({ kind, target, owner }) => ({ kind, target, owner })),
    failed: report.failed.map(({ kind, target, owner, error }) => ({ kind, target, owner, error })),
    unread: findUnreadLeases(context),
    freedBytes: report.freedBytes,
  };
  return {
    status: report.failed.length === 0 ? 'passed' : 'host',
    json: result,
    text: () => formatReport(result),
  };
};

async function collectLocked(context: Context, flags: Flags): Promise<GarbageReport> {
  const lock = await takeLock(context, flags);
  try {
    return await collectGarbage(context, { dryRun: false });
  } finally {
    await lock.release();
  }
}

function formatReport({ dryRun, removed, failed, unread, freedBytes }: GcResult): string {
  const mib = (freedBytes / 1024 / 1024).toFixed(1);
  const lines = [
    ...removed.map(
      ({ kind, target, owner }) => `${dryRun ? 'would remove' : 'removed'} ${kind} ${target} (${owner})`,
    ),
    ...failed.map(({ kind, target, error }) => `not removed: ${kind} ${target}: ${error}`),
  ];
  if (lines.length === 0) lines.push('nothing to clean up');
  else lines.push(dryRun ? `${mib} MiB would be freed` : `${mib} MiB freed`);
  if (failed.length > 0) lines.push('what was not removed stays on the list; try again: npx whodunit gc');
  return joinLines([...lines, ...formatUnread(unread)]);
}

/** Says what to do about unreadable lines. whodunit only appends to the list, so a person has to delete them. */
function formatUnread(unread: GcResult['unread']): string[] {
  if (unread.length === 0) return [];
  const more = unread.length > SHOWN_UNREAD ? [`and ${unread.length - SHOWN_UNREAD} more`] : [];
  return [
    'these lines of the clean-up list cannot be read, so what they name is not removed:',
    ...[...unread.slice(0, SHOWN_UNREAD).map(({ file, line }) => `${spellPath(file)}:${line}`), ...more].map(
      (text) => `  ${text}`,
    ),
    'remove by hand what they name, then delete the lines',
  ];
}
