import { z } from 'zod';

/**
 * A lease is something on the host that we must remove again. It is written before the thing exists and struck out
 * after the thing is gone, so a crash at any point leaves a list of what to look for.
 */

/** Kinds in the order in which they are removed: what uses goes before what is used, a mount before its folder. */
export const LEASE_KINDS = [
  'process',
  'domain',
  'volume',
  'pool',
  'port',
  'mount',
  'terraform',
  'folder',
] as const;

export type LeaseKind = (typeof LEASE_KINDS)[number];

/** One thing on the host. `id` is unique; `target` is what to remove: a name, a pid, a path, a port. */
export const leaseSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(LEASE_KINDS),
  target: z.string(),
  /** The world or run that owns it, for messages. */
  owner: z.string(),
  /** libvirt URI for domain, volume and pool; working folder for terraform; start time (clock ticks) for process. */
  detail: z.string().optional(),
  /** Pid of the lab that took the lease; a lease of a living lab is not garbage. */
  holder: z.number().int(),
  at: z.string(),
});

export type Lease = z.infer<typeof leaseSchema>;

/** One line of `leases.jsonl`. */
export const leaseLineSchema = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('take'), lease: leaseSchema }),
  z.strictObject({ op: z.literal('release'), id: z.string(), at: z.string() }),
]);

/** What is still leased, in the order taken. Lines cut short by a crash are skipped. */
export function openLeases(lines: readonly string[]): Lease[] {
  const open = new Map<string, Lease>();
  for (const line of lines) {
    const parsed = leaseLineSchema.safeParse(tryJson(line));
    if (!parsed.success) continue;
    if (parsed.data.op === 'take') open.set(parsed.data.lease.id, parsed.data.lease);
    else open.delete(parsed.data.id);
  }
  return [...open.values()];
}

function tryJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined; // a line cut short by a crash is no lease
  }
}
