import { describe, expect, it } from 'vitest';
import { judgeCapture, loadCapture, type Capture } from '../../../../fixtures/evidence/load-capture.ts';
import { leaveOnly, SUBSETS } from '../../../../fixtures/evidence/take-away.ts';
import { judgedCases } from '../../../../fixtures/judged-cases/load-judged-case.ts';
import { FAILED_LIVENESS } from '../../../../fixtures/told/api-words.ts';
import { Story } from '../../../../fixtures/told/story.ts';
import { WEIGHED } from '../../../../fixtures/told/weighed/all-weighed-stories.ts';
import { weighedCapture } from '../../../../fixtures/told/weighed/weighed-story.ts';

const handed = (name: string): Capture =>
  judgedCases().find((judged) => judged.name.startsWith(name))!.capture;
const told = (why: RegExp): Capture =>
  weighedCapture(WEIGHED.flatMap(([, stories]) => stories).find((story) => why.test(story.why))!);
const withOnly = (capture: Capture, name: string): Capture =>
  leaveOnly(capture, SUBSETS.find(([subset]) => subset === name)![1], 'absent')!;

describe('what the kubelet decided in a later second than that of the end', () => {
  it.each<[string, Capture]>([
    ['a request at the runtime came first', handed('N06')],
    ['the program had ended by itself', told(/passes its deadline a tenth of a second after its program/)],
  ])('is not blamed for it where only API and events are left: %s', (_, capture) => {
    const { attribution, note } = judgeCapture(withOnly(capture, 'API + events'));
    expect(attribution.killer).toBe('unknown');
    expect(note).toMatch(/^nothing tells whether it was asked for before/);
  });

  it('leaves a doubt where the runtime was asked right before', () => {
    expect(judgeCapture(handed('N06')).attribution).toMatchObject({
      killer: 'runtime-stop',
      confidence: 'likely',
    });
  });
});

it('a deadline that passed in the second of the end, or before, is named from API and events', () => {
  expect(judgeCapture(withOnly(loadCapture('deadline'), 'API + events')).attribution).toMatchObject({
    killer: 'deadline',
    confidence: 'likely',
  });
});

it('a stop that the kubelet announced in the second after the end is not of this end', () => {
  const at = { fieldPath: 'spec.containers{main}' };
  const story = (killedAt: number): Capture =>
    new Story()
      .probe(8, 'Liveness')
      .event(killedAt, 'Killing', FAILED_LIVENESS, at)
      .ends(9.9, 143, { again: true })
      .capture();
  const judge = (killedAt: number): string =>
    judgeCapture(withOnly(story(killedAt), 'API + events')).attribution.killer;
  expect([9.8, 10.1].map(judge)).toEqual(['liveness-probe', 'unknown']);
});
