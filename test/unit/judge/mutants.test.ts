import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
import { isSurer, sampledSubjects, type JudgedSubject } from '../../fixtures/evidence/judged-subjects.ts';
import { mutateCapture, MUTATIONS, type Mutation } from '../../fixtures/evidence/mutate-capture.ts';
import { cases, SEED } from '../../fixtures/properties.ts';
import { createRandom } from '../../random.ts';

const subjects = sampledSubjects();

/** What is wrong with the verdict on a mutant. A source of another clock tells another story, which may be as sure. */
function findFault({ name, capture, truth }: JudgedSubject, mutation: Mutation, number: number): string[] {
  const seed = createHash('sha256').update(`${SEED} ${name} ${mutation} ${number}`).digest().readUInt32BE();
  const mutant = mutateCapture(capture, mutation, createRandom(seed));
  const now = judgeCapture(mutant.capture).attribution;
  const isOther = now.killer !== 'unknown' && now.killer !== truth.killer;
  const rises = mutation !== 'the clock of a file shifted' && isSurer(now, truth);
  if (!isOther && !rises) return [];
  const [before, after] = [truth, now].map(({ killer, confidence }) => `${killer} ${confidence}`);
  return [`${name}, ${mutant.says}: ${before} -> ${after}`];
}

describe('damaged evidence leaves the killer of a capture, or makes it unknown', () => {
  it.each(Object.keys(MUTATIONS) as Mutation[])('%s', (mutation) => {
    const numbers = Array.from({ length: cases(1) }, (_, number) => number);
    const faults = subjects.flatMap((subject) =>
      numbers.flatMap((number) => findFault(subject, mutation, number)),
    );
    expect(faults).toEqual([]);
  });
});
