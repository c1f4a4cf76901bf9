import { z } from 'zod';
import { oneOf } from './closed-list.ts';
import { VERDICT_MEANINGS } from './killers.ts';

/** What happens in a run, and what each event means. */
export const RUN_EVENTS = {
  'run-started': 'the run began',
  'world-started': 'a world is being brought up',
  'world-ready': 'it is up; `detail` says whether it was built or restored',
  'world-unhealthy': 'a restored world failed its health gate (`detail` says why) and is restored once more',
  'world-rebuilt': 'it failed again, so it is removed and built anew, once in a run',
  'world-parked':
    'its power was taken away because nobody used it and another world needs the room; its snapshot stays',
  'world-failed': 'it could not be had: its cells are inconclusive, or skipped when that failure is declared',
  'cell-started': 'a cell began',
  'cell-restored': 'its world is pristine',
  'cell-deployed': 'its workload was created',
  'cell-observed': 'its outcome was seen, and the evidence is saved',
  'cell-judged': 'it has a verdict',
  'run-ended': 'the run is over',
} as const;

/** One line of `events.jsonl`. */
export const eventSchema = z.strictObject({
  at: z.string().describe('When; ISO 8601, UTC.'),
  event: oneOf(RUN_EVENTS, 'What happened'),
  address: z.string().optional().describe('Of which cell.'),
  world: z.string().optional().describe('Of which world: the canonical name of its variant.'),
  verdict: oneOf(VERDICT_MEANINGS, 'Of a judged cell').optional(),
  detail: z.string().optional().describe('More about it, for a reader.'),
});

export type RunEvent = z.infer<typeof eventSchema>;
