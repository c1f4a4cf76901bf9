import { expect, it } from 'vitest';
import type { Judgement } from '../../../../lab/judge/verdict/judge-cell.ts';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { terminated } from '../../../fixtures/told/api-words.ts';
import { CAST, iso } from '../../../fixtures/told/cast.ts';
import { Story } from '../../../fixtures/told/story.ts';

const WHY = 'the API was not ready at the end: no answer within 10 s';

/** A container that somebody killed after 18 s and that has to restart; the API was heard last at a second, or always. */
function neverRestarted(heardAt?: number): Judgement {
  const story = new Story();
  story.signal(18, { sig: 15, pid: CAST.init, sender: [1, 'bash', '/system.slice/ssh.service'] });
  story.exit(18.01).pod(19, { state: terminated(18, 143) });
  const capture = story.tell({ killer: 'external-signal', then: 'restarts' });
  const lost = heardAt === undefined ? [] : [{ source: 'pods' as const, from: iso(heardAt), why: WHY }];
  return judgeCapture({ ...capture, record: { ...capture.record, lost } });
}

it('a restart that an API did not tell of, which was well, did not come', () => {
  expect(neverRestarted().verdict).toBe('failed');
});

it.each([12, 19, 27])('nobody knows of a restart when the API was heard last after %d s', (heardAt) => {
  expect(neverRestarted(heardAt)).toMatchObject({ verdict: 'inconclusive', note: `pods.jsonl: ${WHY}` });
});
