import { z } from 'zod';
import { HOWS, KILLERS, LEVELS, VICTIM_MEANINGS } from '../killers/killers.ts';
import { COUNT_LIMITS } from '../limits/count-limits.ts';
import { MOST_SECONDS } from '../limits/scenario-times.ts';
import { measureBoundSchema } from '../measures/measure.ts';
import { oneOf } from '../text/closed-list.ts';
import { matchGlob } from '../text/match-glob.ts';
import { namesOf } from '../text/names-of.ts';
import { CONTAINER_REASONS } from './container-reasons.ts';
import { shareBoundSchema } from './tries.ts';

/** Three parts, each a glob such as `coredns-*`; a process in no pod is `<node>/process/<name>`. */
const containersSchema = z
  .array(z.string().regex(/^[^/\s]+\/[^/\s]+\/[^/\s]+$/, 'namespace/pod/container'))
  .min(1)
  .optional();

/** Whether such a glob means a process in no pod. */
export function isProcessGlob(glob: string): boolean {
  return glob.split('/')[1] === 'process';
}

/** The names, globs allowed, that such globs have for processes in no pod of a node; each once. */
export function listProcessNames(node: string, globs: readonly string[]): string[] {
  const names = globs.filter(isProcessGlob).flatMap((glob) => {
    const [onNode = '', , name = ''] = glob.split('/');
    return matchGlob(onNode, node) ? [name] : [];
  });
  return [...new Set(names)];
}

/** What must happen to the victim; also the `expected` of `cell.json`. */
export const outcomeSchema = z
  .strictObject({
    killer: z.enum(KILLERS).describe('Who must have killed the victim; `none` = it must survive.'),
    level: z.array(z.enum(LEVELS)).min(1).optional().describe('Accepted cgroup levels of an OOM kill.'),
    how: z
      .array(z.enum(HOWS))
      .min(1)
      .optional()
      .describe('Accepted ways: what the killer used, as `whodunit why` names it (docs/verdicts.md).'),
    victim: z
      .enum(namesOf(VICTIM_MEANINGS))
      .optional()
      .describe('Which process died: the first of the container (`init`), or another one (`child`).'),
    reason: z
      .array(oneOf(CONTAINER_REASONS, 'What the status of the ended container says'))
      .min(1)
      .optional()
      .describe('Accepted container status reasons.'),
    exitCode: z.array(z.number().int().min(0).max(255)).min(1).optional().describe('Accepted exit codes.'),
    withinSeconds: z
      .number()
      .positive()
      .max(MOST_SECONDS)
      .optional()
      .describe('The death must be seen within this time after the workload (or the stimulus) started.'),
    survivesSeconds: z
      .number()
      .positive()
      .max(MOST_SECONDS)
      .optional()
      .describe('With killer `none`: how long the victim is watched after it became ready.'),
    exceedsLimit: z
      .literal(true)
      .optional()
      .describe('With killer `none`: the pod must have used more memory than its limit.'),
    then: z
      .enum(['restarts', 'next-job-starts', 'stays-dead', 'keeps-running'])
      .optional()
      .describe(
        'What must follow: the container restarts, a later Job starts, nothing, or it runs on (only a child died).',
      ),
    alsoDies: containersSchema.describe(
      'Others that must die as well: `namespace/pod/container`, globs allowed; a process in no pod: `node-1/process/<name>`.',
    ),
    mayDie: containersSchema.describe(
      'Others that may die as well. Any other death in the cluster fails the cell.',
    ),
    alsoSurvives: containersSchema.describe('Others that must be seen running at the end, never restarted.'),
    or: z
      .array(
        z.strictObject({
          killer: z.enum(KILLERS).describe('Who may have killed the victim as well.'),
          how: z.array(z.enum(HOWS)).min(1).describe('Its accepted ways.'),
        }),
      )
      .min(1)
      .optional()
      .describe('Other ends that are as good, where a race decides: the killer, and its ways.'),
    measures: z
      .array(measureBoundSchema)
      .min(1)
      .optional()
      .describe('What must hold of measures, whoever killed the victim.'),
    shares: z
      .array(shareBoundSchema)
      .min(1)
      .optional()
      .describe(
        'With `tries`: what must hold of the share of an end, in the long run. A value that a share names is accepted of single deaths as well, and beside a share of the expected killer any other one is.',
      ),
    notBeforeSeconds: z
      .number()
      .positive()
      .max(MOST_SECONDS)
      .optional()
      .describe('The death must not come earlier than this, counted as for `withinSeconds`.'),
    attempt: z
      .union([z.number().int().min(1).max(COUNT_LIMITS.deaths.count), z.literal('any')])
      .optional()
      .describe(
        'Which death of the victim is judged, counted from 1; `any`: the first one that is as expected. Left out: the first.',
      ),
    neverStarts: z
      .array(
        z.string().regex(/^[A-Z][A-Za-z]*$/, 'a reason as the API writes it: CreateContainerConfigError'),
      )
      .min(1)
      .optional()
      .describe(
        'With killer `none`: the container never runs, and the API gives one of these reasons, as that of a waiting container or of an event about its pod.',
      ),
    survives: z
      .literal('stop')
      .optional()
      .describe(
        'With killer `none`: it is asked to stop, and lives on; `survivesSeconds` then counts from the last stimulus.',
      ),
    // Source: generateAPIPodStatus of pkg/kubelet/kubelet_pods.go keeps a reason only with the phase that it came with.
    podReason: z
      .array(z.string().regex(/^[A-Z][A-Za-z]*$/, 'a reason as the API writes it: Evicted'))
      .min(1)
      .optional()
      .describe(
        'Accepted reasons of the pod itself (its `status.reason`): Evicted, NodeAffinity, OutOfcpu, UnexpectedAdmissionError. A pod whose containers end with 0 has Succeeded and keeps none.',
      ),
  })
  .describe('What must happen to the victim.');

/** What must happen to the victim, for one variant. */
export type Outcome = z.infer<typeof outcomeSchema>;

/** Which death of the victim is judged, counted from 1; of `any` it is the first one that is looked at. */
export function numberOfDeath({ attempt }: Pick<Outcome, 'attempt'>): number {
  return typeof attempt === 'number' ? attempt : 1;
}
