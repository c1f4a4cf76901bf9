import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isUnreadable } from '../../model/errors/errors.ts';
import type { Host } from '../../model/host/host.ts';
import { openLeases, type Lease } from '../../model/host/lease.ts';
import { statePaths } from '../../model/host/paths.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { findText, listFolder, pathExists, readLines, writeJsonAtomic } from '../files/files.ts';
import { makePrivateClaims, openClaimBook } from './claims.ts';
import type { LeaseBook } from './leases.ts';
import { reservePorts } from './ports.ts';

/**
 * Ports of this host for all labs of a user. What is leased is in the list of leases of each state folder; the folder of the
 * claims only knows which state folders there are. So a lab that was killed leaves nothing here that could become stale.
 */

/** A port that is leased. */
interface LeasedPort {
  readonly port: number;
  /** Id of the lease. */
  readonly lease: string;
}

/** The ports of a lab, as far as other labs are concerned. */
export interface PortRegister {
  /**
   * Makes the state folder, which is there by then, known to the other labs of this user: its ports are given to none of them. A boot forgets it, until
   * its next world comes up.
   *
   * @throws HostError LAB_LOCK, LAB_STATE_FOLDER.
   */
  makeKnown(): void;
  /**
   * Leases free ports on 127.0.0.1. No other lab of this user chooses meanwhile, and a port that any of them has leased is not
   * given out although nothing may listen on it: a parked world listens on its ports again when it comes back.
   *
   * @throws HostError LAB_PORTS, LAB_LEASES, LAB_LOCK; InterruptedError while another lab chooses.
   */
  lease(owner: string, count: number): Promise<LeasedPort[]>;
}

const SUFFIX = '.home';

const homeSchema = z.strictObject({ stateDir: z.string() });

/**
 * Opens the ports of a lab.
 *
 * @param folder of the claims.
 * @param leases of its state folder.
 */
export function openPortRegister(
  folder: string,
  { stateDir, clock, signal }: Pick<Host, 'stateDir' | 'clock' | 'signal'>,
  leases: LeaseBook,
): PortRegister {
  return {
    makeKnown: () => {
      makePrivateClaims(folder);
      const name = createHash('sha256').update(stateDir).digest('hex').slice(0, 32);
      writeJsonAtomic(join(folder, `${name}${SUFFIX}`), { stateDir } satisfies z.infer<typeof homeSchema>);
    },
    lease: (owner, count) =>
      openClaimBook(folder, clock, signal).decide(async () => {
        const others = listHomes(folder).flatMap(readPorts);
        const ports = await reservePorts(count, new Set([...listPorts(leases.open()), ...others]));
        return ports.map((port) => ({ port, lease: leases.take('port', String(port), owner) }));
      }),
  };
}

/** State folders that labs of this user have used; those that are gone are forgotten. */
function listHomes(folder: string): string[] {
  return listFolder(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .flatMap((name) => {
      const path = join(folder, name);
      const home = homeSchema.safeParse(tryParseJson(findText(path) ?? '')).data;
      if (home !== undefined && pathExists(home.stateDir)) return [home.stateDir];
      rmSync(path, { force: true });
      return [];
    });
}

function readPorts(stateDir: string): number[] {
  try {
    return listPorts(openLeases(readLines(statePaths(stateDir).leases)));
  } catch (error) {
    // It is the folder of another lab, whose next command says so.
    if (isUnreadable(error)) return [];
    throw error;
  }
}

/** The ports among leases. */
export function listPorts(leases: readonly Lease[]): number[] {
  return leases.filter(({ kind }) => kind === 'port').map(({ target }) => Number(target));
}
