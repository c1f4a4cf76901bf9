import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../lab/model/killers/killers.ts';
import {
  captureNames,
  judgeCapture,
  loadCapture,
  type Capture,
} from '../../fixtures/evidence/load-capture.ts';
import { findWrongAnswer } from '../../fixtures/evidence/other-answer.ts';
import { ALL_BUT_SOME, leaveOnly, modesOf } from '../../fixtures/evidence/take-away.ts';
import { judgedCases } from '../../fixtures/judged-cases/load-judged-case.ts';
import { allStories } from '../../fixtures/told/all-stories.ts';
import { drawStories } from '../../fixtures/told/draw-stories.ts';
import { WEIGHED } from '../../fixtures/told/weighed/all-weighed-stories.ts';
import { weighedCapture } from '../../fixtures/told/weighed/weighed-story.ts';

/** A death, with who did it, from which sources are taken away. */
interface Subject {
  readonly name: string;
  readonly tell: () => Capture;
  /** Nobody where the capture itself says who did it. */
  readonly truth: readonly Killer[] | undefined;
}

const told = (await allStories()).map(({ name, tell, killer }): Subject => ({ name, tell, truth: [killer] }));
const weighed = WEIGHED.flatMap(([, own]) =>
  own.map((story): Subject => ({ name: story.why, tell: () => weighedCapture(story), truth: story.want })),
);
const handed = judgedCases().map(({ name, capture, answer }): Subject => ({
  name,
  tell: () => capture,
  truth: answer.want,
}));
const captured = captureNames().map((name): Subject => ({
  name,
  tell: () => loadCapture(name),
  truth: undefined,
}));

const WAYS = ALL_BUT_SOME.flatMap(([way, left]) => modesOf(left).map((mode) => ({ way, left, mode })));

/** What is wrong with the verdicts on a subject in so many of the ways in which two or three sources can be missing. */
function findWrong({ name, tell, truth }: Subject, sampled: number): string[] {
  const capture = tell();
  const before = judgeCapture(capture).attribution;
  return drawStories(WAYS, ({ way, mode }) => `${way} ${mode}`, name, sampled).flatMap(
    ({ way, left, mode }) => {
      const fewer = leaveOnly(capture, left, mode);
      if (fewer === undefined) return [];
      const now = judgeCapture(fewer).attribution;
      const found = findWrongAnswer({ now, before, left, truth: truth ?? [before.killer] });
      const isRaised = now.killer === 'none' && before.killer !== 'none';
      return found === undefined && !isRaised
        ? []
        : [`${name}, ${way}, ${mode}: ${found ?? 'none for a death'}`];
    },
  );
}

describe('two or three sources that are missing name nobody else, and make nothing surer', () => {
  it.each([
    ['told stories', told, 1],
    ['weighed stories', weighed, 1],
    ['handed cases', handed, 3],
    ['captures', captured, 1],
  ] as const)('%s', (_, subjects, sampled) => {
    expect(subjects.flatMap((subject) => findWrong(subject, sampled))).toEqual([]);
  });

  it('a request at the runtime is not blamed on who asked in the same second, when neither kubelet nor runtime tells', () => {
    const rivals = [...told, ...handed].filter(({ name }) => /crictl.stop.*400.?ms|700 ms slow/.test(name));
    expect(rivals.length).toBeGreaterThan(3);
    for (const { tell, truth } of rivals) {
      const left = ALL_BUT_SOME.find(([way]) => way === 'all but containerd and kubelet')?.[1] ?? [];
      const fewer = leaveOnly(tell(), left, 'absent') ?? tell();
      expect(['unknown', ...(truth ?? [])]).toContain(judgeCapture(fewer).attribution.killer);
    }
  });

  /** Stories in which a source says too much for a verdict, or too little, with the sources whose absence had made one surer. */
  it.each([
    ['all but containerd and events', 'unknown', /in its hook somebody deletes it/],
    ['all but events and system', 'api-deletion', /in the same second a critical pod needs its place/],
    [
      'all but events and system',
      'self-exit',
      /restarted before it asks the runtime; the program ends with 1/,
    ],
    ['all but containerd, kubelet and events', 'unknown', /^N06-/],
  ])('%s: %s, no surer than before, of %s', (way, killer, name) => {
    const [story] = [...weighed, ...handed].filter((subject) => name.test(subject.name));
    const capture = story!.tell();
    const left = ALL_BUT_SOME.find(([words]) => words === way)![1];
    const [before, now] = [capture, leaveOnly(capture, left, 'absent')!].map(
      (one) => judgeCapture(one).attribution,
    );
    expect(now).toMatchObject({ killer });
    expect(findWrongAnswer({ now: now!, before: before!, left, truth: story!.truth ?? [] })).toBeUndefined();
  });

  it('a node whose clock was set orders nothing, when only its journals show that', () => {
    const story = told.find(({ name }) =>
      name.startsWith('the clock of the node went back 30 s in the middle'),
    );
    const capture = story?.tell() ?? { record: undefined as never, files: new Map(), expected: {} };
    const left = ALL_BUT_SOME.find(([way]) => way === 'all but kmsg and witness')?.[1] ?? [];
    const { attribution } = judgeCapture(leaveOnly(capture, left, 'absent') ?? capture);
    expect(attribution.killer).toBe('unknown');
    expect(JSON.stringify(attribution.open)).toContain('the clock of the node was set');
  });
});
