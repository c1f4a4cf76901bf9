import { measureDiskBytes } from '../../drivers/files/folders.ts';
import { listFolder } from '../../drivers/files/files.ts';
import { findLockHolder } from '../../drivers/claims/lock.ts';
import { listQemuGuests } from '../../drivers/machines/qemu-guests.ts';
import type { StatusResult } from '../../model/saved/answers.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { statePaths } from '../../model/host/paths.ts';
import { sum } from '../../model/text/sum.ts';
import { renderStatus } from '../../report/terminal/render-status.ts';
import { readWorldRecords, type RecordReading } from '../../world/world-record.ts';
import type { Context, RunVerb } from '../context/context.ts';

/** `whodunit status`: shows which worlds are up or saved, which lab is running, and the disk space used. Changes nothing. */
export const runStatus: RunVerb = async (context) => {
  const result = readStatus(context);
  return {
    status: 'passed',
    json: result,
    rows: { list: result.worlds, name: 'name' },
    table: () => renderStatus(result),
  };
};

function readStatus({ stateDir, cacheDir }: Pick<Context, 'stateDir' | 'cacheDir'>): StatusResult {
  const paths = statePaths(stateDir);
  const holder = findLockHolder(paths.lock);
  return {
    formatVersion: FORMAT_VERSION,
    folder: stateDir,
    lock: holder === undefined ? null : { pid: holder.pid, command: holder.command, at: holder.at },
    worlds: readWorldRecords(stateDir).map((reading) => ({
      ...describeWorld(reading, holder !== undefined),
      diskBytes: measureDiskBytes(paths.world(reading.name).dir),
    })),
    runs: { count: listFolder(paths.runs).length, diskBytes: measureDiskBytes(paths.runs) },
    cache: { folder: cacheDir, diskBytes: measureDiskBytes(cacheDir) },
  };
}

function describeWorld(
  { name, record }: RecordReading,
  isBusy: boolean,
): Pick<StatusResult['worlds'][number], 'name' | 'state' | 'nodes' | 'residentMiB'> {
  if (record === undefined) return { name, state: 'unreadable', nodes: 0, residentMiB: 0 };
  const domains = record.nodes.map(({ domain }) => domain);
  const guests = listQemuGuests().filter((guest) => domains.includes(guest.name));
  const isPowered = guests.length === domains.length;
  const isLane = record.lane !== undefined && isBusy;
  return {
    name,
    state: isLane ? 'lane' : record.state === 'building' ? 'unfinished' : isPowered ? 'up' : 'saved',
    nodes: domains.length,
    residentMiB: sum(guests.map(({ residentMiB }) => residentMiB)),
  };
}
