import { z } from 'zod';
import { variantSchema } from '../model/axes.ts';
import { effectiveSchema } from '../model/effective.ts';
import { lanSchema } from '../model/machine.ts';

/** Schema of `worlds/<variant>/world.json`: all that a later invocation needs to use, restore or remove a world. */
export const worldRecordSchema = z.strictObject({
  formatVersion: z.literal(1),
  /** Canonical variant name; also the folder. */
  name: z.string(),
  variant: variantSchema,
  /** `building` until the snapshot exists; a world found in that state is removed and built again. */
  state: z.enum(['building', 'ready']),
  /** Digest of everything that went into the world; another key means another world. */
  key: z.string(),
  image: z.strictObject({
    digest: z.string(),
    dir: z.string(),
    sshKey: z.string(),
    hostKey: z.string(),
  }),
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

/** Name of the snapshot of a world that has just become ready. */
export const READY_SNAPSHOT = 'ready';
