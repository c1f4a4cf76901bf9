import { z } from 'zod';
import { findText, listFolder, writeJsonAtomic } from '../drivers/files/files.ts';
import { variantSchema } from '../model/axes/axes.ts';
import { effectiveSchema } from '../model/saved/effective.ts';
import { HostError, isUnreadable } from '../model/errors/errors.ts';
import { lanSchema } from '../model/host/machine.ts';
import { tryParseJson } from '../model/files/parse-json.ts';
import { statePaths } from '../model/host/paths.ts';

/** Schema of `worlds/<variant>/world.json`: all that a later invocation needs to use, restore or remove a world. */
export const worldRecordSchema = z.strictObject({
  formatVersion: z.literal(1),
  /** Canonical variant name; also the folder. */
  name: z.string(),
  variant: variantSchema,
  /**
   * `building` until the snapshot exists, and again from the moment at which its removal begins; a world found in that
   * state is removed and built again.
   */
  state: z.enum(['building', 'ready']),
  /** Digest of everything that went into the world; another key means another world. */
  key: z.string(),
  /** What went into it, by names for people, so that a miss can name what differs. Absent in older records. */
  inputs: z.record(z.string(), z.string()).optional(),
  image: z.strictObject({
    digest: z.string(),
    dir: z.string(),
    sshKey: z.string(),
    hostKey: z.string(),
  }),
  /** The saved world that it was derived from; absent where it was built from its image. */
  parent: z.strictObject({ name: z.string(), key: z.string() }).optional(),
  /** Which lane it is of the world that it was forked from, counted from 1; absent of a world. It is never `ready`. */
  lane: z.number().int().positive().optional(),
  kubernetes: z.string(),
  accelerator: z.enum(['kvm', 'tcg']),
  libvirtUri: z.string(),
  pool: z.string(),
  /** The network between the nodes; absent in a world of one. */
  lan: lanSchema.optional(),
  nodes: z.array(
    z.strictObject({
      name: z.string(),
      domain: z.string(),
      sshPort: z.number().int(),
      apiPort: z.number().int().optional(),
      memoryMiB: z.number().int(),
      /**
       * When the node had renewed its lease last in the snapshot, by its own clock: any other time is a sign of life
       * after a restore. Absent when it may have renewed it while the snapshot was taken.
       */
      leaseRenewedAt: z.string().optional(),
    }),
  ),
  /** Container restarts in kube-system when the snapshot was taken; more after a restore means an unhealthy one. */
  restarts: z.number().int(),
  /** The variant itself restarts them again and again, so that their number says nothing. */
  restartsDeclared: z.boolean().optional(),
  /** What the nodes turned out to be; absent while it is being built. */
  effective: effectiveSchema.optional(),
  createdAt: z.string(),
  timings: z.record(z.string(), z.number()),
});

/** What is known of a world on disk. */
export type WorldRecord = z.infer<typeof worldRecordSchema>;

/** The record of a world that has its snapshot. */
export type ReadyRecord = WorldRecord & { readonly state: 'ready' };

/** Whether a world has its snapshot, so that it can be restored. */
export function isReady(record: WorldRecord): record is ReadyRecord {
  return record.state === 'ready';
}

/** What the record of one world says, as far as this version can read it. */
export interface RecordReading {
  /** The canonical variant name, which is also the folder. */
  readonly name: string;
  /** All of it; undefined when there is none, when it is broken, or when another version wrote it. */
  readonly record: WorldRecord | undefined;
  /** Whether the world was brought up and is meant to stay. Read from the records of other versions as well. */
  readonly isReady: boolean;
  /** Folder of the image under its disks. Read from the records of other versions as well; undefined when it is not there. */
  readonly imageDir: string | undefined;
}

/** What every version has written, whatever else. */
const everyVersionSchema = z
  .looseObject({
    state: z.string().optional().catch(undefined),
    image: z.looseObject({ dir: z.string() }).optional().catch(undefined),
  })
  .catch({});

/** Reads the record of a world, as far as this version can. */
export function readWorldRecord(stateDir: string, name: string): RecordReading {
  const json = findJson(statePaths(stateDir).world(name).record);
  const { state, image } = everyVersionSchema.parse(json);
  return {
    name,
    record: worldRecordSchema.safeParse(json).data,
    isReady: state === 'ready',
    imageDir: image?.dir,
  };
}

/** What a file says; undefined when it is missing, broken, or no file at all. */
function findJson(path: string): unknown {
  try {
    return tryParseJson(findText(path) ?? 'null');
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** Reads the records of all worlds of a state folder, also of those that have none that can be read. */
export function readWorldRecords(stateDir: string): RecordReading[] {
  return listFolder(statePaths(stateDir).worlds).map((name) => readWorldRecord(stateDir, name));
}

/**
 * Says that a world is no longer ready, before its machines go: what a crash leaves of it is then taken for unfinished,
 * and removed. A full disk does not keep a world from being removed.
 */
export function markUnfinished(stateDir: string, name: string): void {
  const path = statePaths(stateDir).world(name).record;
  const known = everyVersionSchema.parse(findJson(path));
  if (known.state !== 'ready') return;
  try {
    writeJsonAtomic(path, { ...known, state: 'building' });
  } catch (error) {
    if (!(error instanceof HostError && error.code === 'LAB_DISK')) throw error;
  }
}

/** Finds the record of a world; undefined when there is none or it is not readable by this version. */
export function findWorldRecord(stateDir: string, name: string): WorldRecord | undefined {
  return readWorldRecord(stateDir, name).record;
}

/** Name of the snapshot of a world that has just become ready. */
export const READY_SNAPSHOT = 'ready';
