import type { Killer } from '../../../lab/model/killers/killers.ts';
import type { Attribution } from '../../../lab/model/saved/formats.ts';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
import { running, terminated } from '../../fixtures/told/api-words.ts';
import { NEXT } from '../../fixtures/told/cast.ts';
import type { Story } from '../../fixtures/told/story.ts';

/** Who ended the container of a story, of which no kill is expected. */
export const attributionOf = (story: Story): Attribution =>
  judgeCapture(story.tell({ killer: 'none' })).attribution;

export const killerOf = (story: Story): Killer => attributionOf(story).killer;

/** The container ends at second 6; a second one follows it in the same pod. */
export function restartContainer(
  story: Story,
  exitCode: number,
  status: Record<string, unknown> = {},
): Story {
  const last = terminated(6, exitCode);
  return story.pod(8, { state: running(7), last, restarts: 1, id: NEXT.id, status });
}
