import { z } from 'zod';
import { formatVersionSchema } from '../files/format-version.ts';
import { oneOf } from '../text/closed-list.ts';
import { autopsySchema } from './autopsy.ts';

/** What a report can say. */
const FACT_NAMES = {
  kubernetes: 'version of kubelet and control plane',
  containerd: 'its version',
  runc: 'its version',
  crun: 'its version',
  runsc: 'version of gVisor',
  'cri-o': 'its version',
  docker: 'its version',
  kernel: 'version of Linux',
  systemd: 'its version',
  os: 'distribution of the node',
  cgroup: 'cgroup hierarchy of the node',
  'kubelet driver': 'cgroup driver of the kubelet',
  'runtime driver': 'cgroup driver of the runtime',
  product: 'what built the cluster: a cloud, or a distribution of Kubernetes',
  platform: 'architecture or operating system that is not Linux on x86-64',
  setting: 'a field of the configuration of the kubelet, or a feature gate',
  workload: 'an object of its manifests',
  limit: 'a limit or request of a container',
  trait: 'a property of its pods that matters for how they die',
  'exit code': 'exit code of a container',
  reason: 'reason of a container, or of an event',
  signal: 'a signal that ended a process',
  counter: 'a counter, and what it said',
  message: 'an error in its own words',
  node: 'what the node itself did',
} as const;

/** What a version of a report is to its author. */
const FACT_ROLES = {
  affected: 'it shows the bug, or nothing says that it does not',
  works: 'the report says that it does not show the bug',
  client: 'of a program beside the node',
  absent: 'the report says that it did not happen, or that it was to be expected in place of what happened',
  inferred: 'no word says so: it follows from paths, names of files, or defaults',
} as const;

const factSchema = z.strictObject({
  name: oneOf(FACT_NAMES, 'What it is about'),
  value: z.string().describe('What the report says.'),
  role: oneOf(FACT_ROLES, 'What it is to the report'),
  words: z.string().describe('The words that it comes from.'),
  file: z.string().describe('The file of the report.'),
  line: z.number().int().describe('The line in it.'),
  note: z.string().optional().describe('What a reader must know of it.'),
});

const distanceSchema = z.strictObject({
  of: z.string().describe('The axis, or what else differs.'),
  report: z.string().describe('What the report has.'),
  lab: z.string().describe('What the lab has in its place.'),
  why: z.string().describe('Why it is not the same, and what else is near.'),
});

const traceSchema = z.strictObject({
  layer: z.enum(['kernel', 'cgroup', 'runtime', 'kubelet', 'api', 'node']).describe('Who says so.'),
  what: z.string().describe('What it is about.'),
  value: z.string().describe('What it says.'),
  absent: z
    .literal(true)
    .optional()
    .describe('The report says that it did not happen: a reproduction must not show it.'),
});

const comparedTraceSchema = traceSchema.extend({
  cell: z.string().optional().describe('What the cell has; absent when it has nothing of the kind.'),
  state: z.enum(['same', 'differs', 'missing']).describe('How the two compare.'),
});

const candidateSchema = z.strictObject({
  kind: z
    .enum(['bug', 'scenario', 'made'])
    .describe('A reported bug, a scenario of the catalogue, or one that was made of its manifests.'),
  name: z.string().describe('Its name.'),
  title: z.string().describe('What it is about.'),
  why: z.string().describe('Why it may be this death.'),
  command: z.string().describe('What stages it on the nearest variant.'),
});

const madeSchema = z.strictObject({
  name: z.string().describe('Name of the scenario, and of the bug.'),
  changes: z.array(z.string()).describe('What differs from the manifests of the report, and why.'),
  files: z
    .array(
      z.strictObject({
        path: z.string().describe('Where it goes.'),
        text: z.string().describe('Its content.'),
      }),
    )
    .describe('The files; `--write` writes them.'),
  problems: z
    .array(z.string())
    .describe('Why they cannot be used as they are; empty when they pass every check.'),
});

const plannedSchema = z.strictObject({
  candidate: z.string().describe('The name of the candidate.'),
  addresses: z
    .array(z.string())
    .describe('Its cells: what is compared with the report, then its neighbours.'),
  estimateSeconds: z.number().optional().describe('What they take; absent when they cannot be run.'),
  refused: z.string().optional().describe('Why they cannot be run.'),
});

const triedSchema = z.strictObject({
  candidate: z.string().describe('The name of the candidate.'),
  address: z.string().describe('The cell.'),
  outcome: z.enum(['reproduced', 'not-reproduced']).describe('Whether every trace of the report is there.'),
  because: z.string().describe('In one sentence.'),
  traces: z.array(comparedTraceSchema).describe('Layer by layer.'),
  neighbour: z.string().optional().describe('The cell beside it that does not show it.'),
  bugShown: z
    .string()
    .optional()
    .describe('Where nobody dies and the bug shows by its own bounds: what they came to.'),
});

/** `whodunit case --json` */
export const caseSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  title: z.string().optional().describe('Its first heading or line.'),
  links: z.array(z.string()).describe('Reports that it names, its own first.'),
  facts: z.array(factSchema).describe('What it says, each with its words.'),
  traces: z.array(traceSchema).describe('What a reproduction must show.'),
  deaths: autopsySchema.shape.deaths.describe('What the judge says of its logs and objects.'),
  variant: z
    .strictObject({
      name: z.string().describe('Canonical name of the nearest variant that can be built.'),
      words: z.array(z.string()).describe('The same as words for `up` and `run`.'),
    })
    .optional()
    .describe('Absent where nothing that the lab builds is near.'),
  distances: z.array(distanceSchema).describe('How the variant differs from the report, each named.'),
  candidates: z.array(candidateSchema).describe('What may show it, most likely first.'),
  made: madeSchema.optional().describe('A scenario made of its manifests; absent when it has none.'),
  written: z.array(z.string()).optional().describe('Files that `--write` has written.'),
  planned: z.array(plannedSchema).optional().describe('With `--run`: what is staged, cheapest first.'),
  tried: z.array(triedSchema).optional().describe('With `--run`: what was staged.'),
  problems: z.array(z.string()).describe('What was not read, and what the report does not say.'),
  next: z.string().describe('The next command.'),
});

export type Case = z.infer<typeof caseSchema>;
export type CaseFact = Case['facts'][number];
export type FactName = CaseFact['name'];
export type FactRole = CaseFact['role'];
export type Distance = Case['distances'][number];
export type CaseTrace = Case['traces'][number];
export type ComparedTrace = z.infer<typeof comparedTraceSchema>;
export type CaseCandidate = Case['candidates'][number];
export type MadeScenario = z.infer<typeof madeSchema>;
export type PlannedCandidate = z.infer<typeof plannedSchema>;
export type TriedCandidate = z.infer<typeof triedSchema>;
