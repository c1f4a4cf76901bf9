import { z } from 'zod';
import { formatVersionSchema } from '../files/format-version.ts';
import { attributionSchema } from './attribution.ts';
import { claimSchema } from './formats.ts';

const milliseconds = (what: string): z.ZodOptional<z.ZodISODateTime> =>
  z.iso.datetime({ offset: true }).optional().describe(`${what}; ISO 8601, UTC. Absent when nothing tells.`);

const deathSchema = z.strictObject({
  pod: z.string().describe('`<namespace>/<name>`, else its uid.'),
  container: z.string().describe('Name of the container, else its id; empty when nobody knows either.'),
  attempt: z.number().int().optional().describe('Counts the containers of that name in the pod from 0.'),
  node: z.string().optional().describe('Its node, where anything says it.'),
  at: milliseconds('When it ended'),
  attribution: attributionSchema.describe('Who killed it, and what proves it.'),
  claims: z.array(claimSchema).describe('What each layer said.'),
  next: z
    .array(
      z.strictObject({
        what: z.string().describe('The killer or cause that is open.'),
        would: z.string().describe('What would decide it.'),
      }),
    )
    .describe('What would tell more.'),
  note: z.string().optional().describe('Why nothing is named, or what the books of the kernel say.'),
});

const readSchema = z.strictObject({
  file: z.string().describe('As it was given, or found below the given folder.'),
  format: z.string().describe('What it is: `dmesg -T`, `syslog`, `API objects`.'),
  node: z
    .string()
    .optional()
    .describe('Of which node it is; absent for the cluster, and when nothing tells.'),
  from: milliseconds('Its first time'),
  to: milliseconds('Its last time'),
  clock: z.string().describe('How its times are known; `unknown`: they have no order beside other files.'),
  lines: z.number().int().describe('Lines that are not empty.'),
  unread: z.number().int().describe('Lines that are not of its format.'),
});

const listedSchema = z.strictObject({
  pod: z.string().describe('`<namespace>/<name>`, else its uid.'),
  container: z.string().describe('Name of the container, else its id; empty when nobody knows either.'),
  attempt: z.number().int().optional().describe('Counts the containers of that name in the pod from 0.'),
  node: z.string().optional().describe('Its node, where anything says it.'),
  at: milliseconds('When it ended'),
  exitCode: z.number().int().optional().describe('Its exit code, where anything says it.'),
  reason: z.string().optional().describe('As the API or the runtime calls it.'),
});

/** Answer of `whodunit autopsy --json`: who killed a container of a cluster that the lab did not build. */
export const autopsySchema = z.strictObject({
  formatVersion: formatVersionSchema,
  deaths: z
    .array(deathSchema)
    .describe(
      'The death that was asked about; of one container that died several times all of them, the newest first. Empty with --list.',
    ),
  listed: z
    .array(listedSchema)
    .optional()
    .describe('With --list: each death that the input knows of, the newest first.'),
  read: z.array(readSchema).describe('Each file that is evidence.'),
  unknown: z.array(z.string()).describe('Files that are not.'),
  problems: z
    .array(z.string())
    .describe('What was wrong with the input: times that nothing tells, lines that were cut.'),
});

export type Autopsy = z.infer<typeof autopsySchema>;
