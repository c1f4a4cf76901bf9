import type { Observation } from '../../model/evidence/observation.ts';
import type { JournalEntry } from '../journal.ts';
import { baseOf, type Where } from '../lines.ts';

/**
 * Texts of CRI-O (server/container_*.go and server/sandbox_run_linux.go). It logs no exit and no OOM kill, and names pods without
 * their uid.
 */
const STOP = /msg="?(?:Stopping container: ([0-9a-f]{64}) |Stopping container ([0-9a-f]{64}) .*timed out)/;
const GONE = /msg="?Stopped container ([0-9a-f]{64}):/;
const CREATED = /msg="?Created container ([0-9a-f]{64}): ([^/\s"]+)\/([^/\s"]+)\/([^/\s"]+)/;
const STARTED = /msg="?Started container"? .*?(?:containerID|id)=([0-9a-f]{64})/;

/** What lines of CRI-O say; nothing of those of containerd. */
export function readCrioEntries(entries: Iterable<JournalEntry>, where: Where): Observation[] {
  const found: Observation[] = [];
  for (const { at, message, line } of entries) {
    const base = baseOf('containerd', at, where, line, message);
    const said = { execId: undefined, pid: undefined, exitStatus: undefined };
    const stop = STOP.exec(message);
    const stopped = stop?.[1] ?? stop?.[2];
    if (stopped !== undefined) found.push({ kind: 'runtime-stop', ...base, ...said, containerId: stopped });
    const gone = GONE.exec(message)?.[1];
    if (gone !== undefined) found.push({ kind: 'runtime-gone', ...base, ...said, containerId: gone });
    const started = STARTED.exec(message)?.[1];
    if (started !== undefined) found.push({ kind: 'runtime-start', ...base, ...said, containerId: started });
    const [, containerId, , , container] = CREATED.exec(message) ?? [];
    if (containerId !== undefined && container !== undefined)
      found.push({ kind: 'runtime-created', ...base, podUid: '', container, containerId });
  }
  return found;
}
