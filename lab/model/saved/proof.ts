import { z } from 'zod';
import { namesOf } from '../text/names-of.ts';
import { CHAIN_STEP_MEANINGS } from './chain-step.ts';

/** The verdict as data that a program of its own checks (`whodunit check`): nothing in it needs the judge. */

const pid = z.number().int();

/** What a record is taken to say. Each kind of record has some of the fields. */
const saysSchema = z.strictObject({
  kind: z.string().describe('The kind of record: `kernel-killed`, `signal-sent`, `pod-seen`, …'),
  at: z.string().optional().describe('When it happened; ISO 8601, UTC. Absent when the record has no time.'),
  pid: pid.optional().describe('The process that it is about.'),
  process: z.string().optional().describe('The name of that process.'),
  parent: pid.optional().describe('The parent of that process.'),
  signal: z.number().int().optional().describe('Number of the signal.'),
  code: z.number().int().optional().describe('si_code of the signal: 128 is the kernel.'),
  actor: z.string().optional().describe('Who acted: the name of a program, or the component of an event.'),
  actorPid: pid.optional().describe('The process that acted.'),
  actorCgroup: z.string().optional().describe('The cgroup of that process.'),
  scope: z.enum(['memcg', 'global']).optional().describe('Whose memory ran out.'),
  cgroup: z.string().optional().describe('The cgroup that it is about.'),
  limitOf: z.string().optional().describe('The cgroup whose limit was hit.'),
  file: z.string().optional().describe('Of a cgroup: the file that was read.'),
  values: z.record(z.string(), z.string()).optional().describe('What was in that file.'),
  uid: z.string().optional().describe('Uid of the pod.'),
  containerId: z.string().optional().describe('Id of the container.'),
  state: z.string().optional().describe('State of the container.'),
  exitCode: z.number().int().optional().describe('Its exit code.'),
  reason: z.string().optional().describe('The reason that the record gives.'),
  deletionAt: z
    .string()
    .optional()
    .describe('When somebody asked for the deletion of the pod; ISO 8601, UTC.'),
  disruption: z.string().optional().describe('Reason of the condition DisruptionTarget.'),
  bootId: z.string().optional().describe('Id of the boot of the node.'),
  quote: z.string().optional().describe('Words of the record.'),
});

const citedSchema = z.strictObject({
  file: z.string().describe("Path inside the cell's evidence folder."),
  line: z.number().int().positive().optional().describe('Line in that file, counted from 1.'),
  says: saysSchema.describe('What the record is taken to say.'),
});

const lifeSchema = z.strictObject({
  from: z.string().describe('ISO 8601, UTC.'),
  to: z.string().describe('ISO 8601, UTC.'),
});

export const proofSchema = z.strictObject({
  victim: z
    .strictObject({
      namespace: z.string().describe('Where its pod is.'),
      pod: z.string().describe('Name of its pod.'),
      uids: z
        .array(z.string())
        .describe('Uids of its pod: a static pod has one on its node and one in the API.'),
      container: z.string().describe('Name of the container.'),
      containerId: z.string().describe('Id of the container; empty when it never existed.'),
      node: z.string().optional().describe('Its node.'),
      first: citedSchema.optional().describe('The record of its first process; absent when nobody saw it.'),
    })
    .describe('Who died.'),
  life: lifeSchema.describe(
    'The time in which sources must be whole: the life of the container, and a margin.',
  ),
  act: z
    .strictObject({
      act: z.string().describe('Whose act it was.'),
      by: citedSchema.optional().describe('The record that shows it.'),
    })
    .optional()
    .describe('What ended the first process; absent when the records leave that open.'),
  decisive: z.array(z.string()).describe('Sources without which it could be something else.'),
  links: z
    .array(
      z.strictObject({
        step: z.enum(namesOf(CHAIN_STEP_MEANINGS)).describe('Which step it is.'),
        ...citedSchema.shape,
      }),
    )
    .describe('How it came to the end, in order.'),
  exclusions: z
    .array(
      z.strictObject({
        hypothesis: z.string().describe('The way to the end, in the words of `excluded`.'),
        ground: z
          .enum(['act', 'record', 'silence', 'explained'])
          .describe(
            'act: another act ended it. record: what looks like its trace is not, or a record contradicts it. silence: it would have left a trace in a source that is whole. explained: the named killer explains the same records.',
          ),
        records: z.array(citedSchema).optional().describe('Of `record`: the records.'),
        sources: z.array(z.string()).optional().describe('Of `silence`: the sources, all of them whole.'),
      }),
    )
    .describe('Each hypothesis that is contradicted, and by what.'),
  silences: z
    .array(
      z.strictObject({
        source: z.string().describe('The source.'),
        files: z.array(z.string()).describe('Its files in the evidence folder.'),
        ...lifeSchema.shape,
        about: z
          .array(z.string())
          .describe('The hypotheses of which it says nothing; empty: it is decisive.'),
      }),
    )
    .describe('What was not said, where that counts.'),
});

export type Proof = z.infer<typeof proofSchema>;
export type Cited = z.infer<typeof citedSchema>;
export type Says = z.infer<typeof saysSchema>;
