import { z } from 'zod';
import { explainNames, namesOf } from '../text/names-of.ts';
import { tryParseJson } from '../files/parse-json.ts';

/**
 * A lease is something on the host that we must remove again. It is written before the thing exists and struck out
 * after the thing is gone, so a crash at any point leaves a list of what to look for.
 */

/** What is known of one kind of lease. */
interface LeaseRow {
  /** What `target` names. */
  readonly target: string;
  /** What `detail` names; left out: there is none. */
  readonly detail?: string;
}

/** The one table of lease kinds, in the order in which things are removed: what uses goes before what is used. */
const LEASE_TABLE = {
  process: { target: 'file that its command line names', detail: 'name of its program' },
  domain: { target: 'name of the domain', detail: 'URI of its libvirt' },
  pool: { target: 'name of the pool', detail: 'URI of its libvirt' },
  port: { target: 'number of the port on 127.0.0.1' },
  terraform: { target: "folder of a world's Terraform files and state" },
  folder: { target: 'path of the folder' },
} as const satisfies Readonly<Record<string, LeaseRow>>;

export type LeaseKind = keyof typeof LEASE_TABLE;

/** Kinds in the order in which they are removed. */
export const LEASE_KINDS = namesOf(LEASE_TABLE);

const rows: Readonly<Record<LeaseKind, LeaseRow>> = LEASE_TABLE;
const targets = Object.fromEntries(LEASE_KINDS.map((kind) => [kind, rows[kind].target]));
const details = Object.fromEntries(
  LEASE_KINDS.flatMap((kind) => (rows[kind].detail === undefined ? [] : [[kind, rows[kind].detail]])),
);

/** One thing on the host. */
const leaseSchema = z.strictObject({
  id: z.string().describe('Unique; the line that releases the lease names it.'),
  kind: z.enum(LEASE_KINDS).describe('What kind of thing it is.'),
  target: z.string().describe(`What to remove. ${explainNames(targets)}.`),
  owner: z.string().describe('The world, or the cell, that it belongs to, for messages.'),
  detail: z
    .string()
    .optional()
    .describe(`What else is needed to remove it. ${explainNames(details)}.`),
  holder: z
    .number()
    .int()
    .describe('Pid of the lab that took the lease; a lease of a living lab is not garbage.'),
  at: z.string().describe('When it was taken; ISO 8601, UTC.'),
});

export type Lease = z.infer<typeof leaseSchema>;

/** One line of `leases.jsonl`. */
export const leaseLineSchema = z
  .discriminatedUnion('op', [
    z
      .strictObject({
        op: z.literal('take').describe('A lease is taken.'),
        lease: leaseSchema.describe('What was leased.'),
      })
      .describe('Written before the thing exists.'),
    z
      .strictObject({
        op: z.literal('release').describe('A lease is struck out.'),
        id: z.string().describe('That of the lease.'),
        at: z.string().describe('When; ISO 8601, UTC.'),
      })
      .describe('Written after the thing is gone.'),
  ])
  .describe('One line of `leases.jsonl`: something on the host that must be removed again.');

/** What is still leased, in the order taken. Lines that cannot be read are skipped; `findUnreadLines` has them. */
export function openLeases(lines: readonly string[]): Lease[] {
  const open = new Map<string, Lease>();
  for (const line of lines) {
    const parsed = parseLine(line);
    if (parsed?.op === 'take') open.set(parsed.lease.id, parsed.lease);
    else if (parsed !== undefined) open.delete(parsed.id);
  }
  return [...open.values()];
}

/**
 * The numbers, from 1, of lines that say neither that something is leased nor that it is gone: a crash cut them short,
 * or something else wrote them. What they named is not known.
 */
export function findUnreadLines(lines: readonly string[]): number[] {
  return lines.flatMap((line, index) => (parseLine(line) === undefined ? [index + 1] : []));
}

function parseLine(line: string): z.infer<typeof leaseLineSchema> | undefined {
  return leaseLineSchema.safeParse(tryParseJson(line)).data;
}
