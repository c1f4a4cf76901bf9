import { join } from 'node:path';
import { writeTextAtomic } from '../../drivers/files/files.ts';
import type { Guest } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { RUNSC_LOGS } from '../../../provision/guest/containerd-config.ts';

/** File in the node's folder of a cell. */
const RUNSC_LOG = 'runsc.log';

/** How much of the end of each file is kept: a sandbox that ended badly says so at the end of its log. */
const TAIL_BYTES = 256 * 1024;

/** Where `provision/guest/containerd-config.ts` lets shim and runsc write; the newest file comes last. */
const PRINT_LOGS = `
[ -d ${RUNSC_LOGS} ] || exit 0
find ${RUNSC_LOGS} -type f -printf '%T@ %p\\n' | sort -n | cut -d' ' -f2- | while read -r file; do
  printf '==> %s <==\\n' "$file"
  tail -c ${TAIL_BYTES} "$file"
  echo
done
`;

/**
 * Saves the ends of gVisor's own logs of one node, for a person: how much memory a sandbox was given, which cgroup it
 * took, and whether it panicked. The judge does not read them.
 *
 * @returns why they could not be saved; undefined when they were, or when there are none.
 */
export async function saveRunscLogs(guest: Guest, cellDir: string): Promise<string | undefined> {
  try {
    const result = await guest.script(PRINT_LOGS, { timeoutMs: TIME_LIMITS.cell.runscLogs.ms });
    if (result.stdout !== '') writeTextAtomic(join(cellDir, guest.name, RUNSC_LOG), result.stdout);
    return result.status === 0 ? undefined : result.stderr.trim();
  } catch (error) {
    return (error as Error).message; // the node is gone
  }
}
