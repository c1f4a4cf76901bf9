import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';
import { VERDICT_MEANINGS } from '../killers/killers.ts';

/** What happens in a run, and what each event means. */
export const RUN_EVENTS = {
  'run-started': 'the run began',
  'world-started': 'the lab began to bring a world up',
  'world-ready': 'it is up; `detail` says whether it was built, restored or (a lane) forked',
  'world-unhealthy': 'a restored world failed its health gate (`detail` says why) and is restored once more',
  'world-rebuilt': 'it failed again; it is removed and built again, once in a run',
  'world-parked':
    'its machines were powered off, because nobody used it and another world needs the room; its snapshot stays',
  'world-failed': 'it did not come up: its cells are inconclusive, or skipped when that failure is declared',
  'cell-started': 'a cell began',
  'cell-restored': 'its world is pristine',
  'cell-deployed': 'its workload was created',
  'cell-observed': 'its outcome was observed, and its evidence is saved',
  'cell-judged': 'it has a verdict',
  'run-ended': 'the run is over',
} as const;

/** One line of `events.jsonl`. */
export const eventSchema = z.strictObject({
  at: z.string().describe('When; ISO 8601, UTC.'),
  event: oneOf(RUN_EVENTS, 'What happened'),
  address: z.string().optional().describe('Of which cell.'),
  world: z.string().optional().describe('Of which world: the canonical name of its variant.'),
  lane: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('Of which of its lanes: forks of the world that share its cells (`--lanes`), counted from 1.'),
  verdict: oneOf(VERDICT_MEANINGS, 'Of a judged cell').optional(),
  detail: z.string().optional().describe('More about it, for a reader.'),
  cells: z.number().int().nonnegative().optional().describe('Of `run-started`: how many cells will be run.'),
  pid: z.number().int().optional().describe('Of `run-started`: the process that runs them.'),
  startTicks: z
    .string()
    .optional()
    .describe('When that process began, in clock ticks since boot: another one may get its number later.'),
});

export type RunEvent = z.infer<typeof eventSchema>;
