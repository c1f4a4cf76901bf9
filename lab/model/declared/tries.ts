import { z } from 'zod';
import { COUNT_LIMITS } from '../limits/count-limits.ts';
import { KILLERS } from '../killers/killers.ts';
import { oneOf } from '../text/closed-list.ts';
import { CONTAINER_REASONS } from './container-reasons.ts';

/** Many deaths in one cell: how often each end is seen, where a race decides. */

const countSchema = z.number().int().min(2).max(COUNT_LIMITS.deaths.count);

/** Schema of `tries` in `scenario.yaml` and in `cell.json`. */
export const triesSchema = z
  .strictObject({
    pods: countSchema
      .optional()
      .describe(
        'So many pods die: a bare pod of the manifests is made again, under another name, once it is dead; pods of a Job or the like are waited for.',
      ),
    restarts: countSchema
      .optional()
      .describe('So many deaths of the container; the kubelet waits between them, up to 300 s.'),
  })
  .refine(({ pods, restarts }) => (pods === undefined) !== (restarts === undefined), {
    error: 'exactly one of pods and restarts',
  })
  .describe('Deaths of the victim that are judged, each by itself; the result has the share of each end.');

/** How many deaths a cell waits for, and of what. */
export type Tries = z.infer<typeof triesSchema>;

/** How many deaths a cell with tries is about. */
export function countTries({ pods, restarts }: Tries): number {
  return pods ?? restarts ?? 0;
}

// No number of deaths settles that a share is 0 or 1.
const shareSchema = z.number().gt(0).lt(1);
const SHARE_WAYS = ['killer', 'reason', 'exitCode'] as const;

/** What must hold of the share of one end. */
export const shareBoundSchema = z
  .strictObject({
    killer: z
      .enum(KILLERS)
      .optional()
      .describe('Of deaths by this killer; `unknown`: of those that nobody can explain.'),
    reason: oneOf(CONTAINER_REASONS, 'What the status of the ended container says')
      .optional()
      .describe('Of deaths with this reason in the status.'),
    exitCode: z.number().int().min(0).max(255).optional().describe('Of deaths with this exit code.'),
    atLeast: shareSchema.optional().describe('The smallest share that is expected in the long run.'),
    atMost: shareSchema.optional().describe('The largest.'),
  })
  .refine((bound) => SHARE_WAYS.filter((way) => bound[way] !== undefined).length === 1, {
    error: 'exactly one of killer, reason and exitCode',
  })
  .refine(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined, {
    error: 'atLeast, atMost, or both',
  })
  .refine(({ atLeast = 0, atMost = Infinity }) => atLeast < atMost, {
    path: ['atMost'],
    error: 'more than atLeast',
  });

/** What must hold of the share of one end, as read. */
export type ShareBound = z.infer<typeof shareBoundSchema>;

/** A field of a death that has shares. */
export type ShareField = (typeof SHARE_WAYS)[number];

/** The fields of a death that have shares, in the order of printing. */
export const SHARE_FIELDS: readonly ShareField[] = SHARE_WAYS;

/** Of which end a bound speaks: the field of a death, and its value. */
export function endOfShare(bound: ShareBound): { readonly field: ShareField; readonly value: string } {
  const field = SHARE_WAYS.find((way) => bound[way] !== undefined) ?? 'killer';
  return { field, value: String(bound[field]) };
}

/** `reason Error of at most 5 %`. */
export function describeShareBound(bound: ShareBound): string {
  const { field, value } = endOfShare(bound);
  return `${SHARE_WORDS[field]} ${value} ${describeShareRange(bound)} of the deaths`;
}

/** The fields in words. */
export const SHARE_WORDS: Readonly<Record<ShareField, string>> = {
  killer: 'killer',
  reason: 'reason',
  exitCode: 'exit code',
};

/** `in at least 5 % and at most 10 %`. */
function describeShareRange({ atLeast, atMost }: ShareBound): string {
  const ends = [
    ...(atLeast === undefined ? [] : [`at least ${spellShare(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${spellShare(atMost)}`]),
  ];
  return `in ${ends.join(' and ')}`;
}

/** A share from 0 to 1 as per cent, with one decimal where it has one. */
export function spellShare(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

/** How often one end was seen. */
const seenShareSchema = z.strictObject({
  value: z.string().describe('The end: a killer, a reason, or an exit code.'),
  count: z.number().int().nonnegative().describe('Deaths that ended so.'),
  low: z.number().describe('Lower end of the interval of its share in the long run.'),
  high: z.number().describe('Upper end.'),
});

/** One share, as counted. */
export type SeenShare = z.infer<typeof seenShareSchema>;

/** What became of the deaths of a cell with tries. */
export const triedSchema = z.strictObject({
  wanted: z.number().int().describe('Deaths that the scenario asks for.'),
  judged: z.number().int().describe('Deaths that came, and were judged.'),
  asExpected: z.number().int().describe('Those that ended as the scenario expects each one to end.'),
  killer: z.array(seenShareSchema).describe('Each killer that was named, the most frequent first.'),
  reason: z.array(seenShareSchema).describe('Each reason that the API gave.'),
  exitCode: z.array(seenShareSchema).describe('Each exit code.'),
  bounds: z
    .array(
      z.strictObject({
        expected: z.string().describe('What the scenario expects of a share, in words.'),
        holds: z
          .boolean()
          .nullable()
          .describe('`null`: not settled, because its interval is on both sides of the bound.'),
      }),
    )
    .describe('Each share that the scenario speaks of.'),
  method: z.literal('wilson-95').describe('The Wilson score interval of 95 %.'),
});

/** Shares of the deaths of one cell. */
export type Tried = z.infer<typeof triedSchema>;
