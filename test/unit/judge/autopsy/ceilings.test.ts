import { describe, expect, it } from 'vitest';
import { ceilingOf, PROFILES } from '../../../../lab/judge/autopsy/ceilings.ts';
import { HYPOTHESES } from '../../../../lab/judge/killer/hypothesis-table.ts';
import type { Attribution } from '../../../../lab/model/saved/formats.ts';
import { captureNames } from '../../../fixtures/evidence/load-capture.ts';
import { DRAWS_ALL } from '../../../fixtures/properties.ts';
import { sampledSubjects, sureness, type JudgedSubject } from '../../../fixtures/evidence/judged-subjects.ts';
import {
  judgeProfile,
  SOURCE_PROFILES,
  type SourceProfile,
} from '../../../fixtures/autopsy/source-profiles.ts';

const subjects = sampledSubjects();

/** What became of one capture under one profile. */
interface Outcome {
  readonly subject: JudgedSubject;
  readonly said: Attribution | undefined;
  readonly problem: string | undefined;
}

function judgeAll(profile: SourceProfile): Outcome[] {
  return subjects.map((subject) => {
    const answer = judgeProfile(subject.capture, profile, subject.truth.victim);
    return answer.kind === 'answer'
      ? { subject, said: answer.attribution, problem: undefined }
      : { subject, said: undefined, problem: `${subject.name}: ${answer.kind}: ${answer.says}` };
  });
}

const outcomes = new Map(SOURCE_PROFILES.map((profile) => [profile.name, judgeAll(profile)]));
const of = (name: string): readonly Outcome[] => outcomes.get(name) ?? [];
const isNamed = ({ subject, said }: Outcome): boolean => said?.killer === subject.truth.killer;
const textOf = ({ subject, said }: Outcome): string =>
  `${subject.name}: ${subject.truth.killer} -> ${said?.killer ?? '?'} (${said?.confidence ?? '?'})`;

/** Whether every way that names the killer of the whole capture is excluded. */
function isShutOut({ subject, said }: Outcome): boolean {
  const ways = HYPOTHESES.filter(({ killers }) => killers.includes(subject.truth.killer));
  const excluded = (said?.excluded ?? []).map(({ what }) => what);
  return ways.length > 0 && ways.every(({ what }) => excluded.includes(what));
}

/** Where the API itself went nobody asked it, and only its node knows the pod. */
const isNodeNeeded = ({ capture }: JudgedSubject): boolean => !capture.files.has('pods.jsonl');

describe('an autopsy of captures of which parts are missing', () => {
  it.each(SOURCE_PROFILES)('$name: each question finds its death', ({ name, left }) => {
    const found = of(name).filter(({ subject }) => !isNodeNeeded(subject) || left.includes('kubelet'));
    expect(found.flatMap(({ problem }) => problem ?? [])).toEqual([]);
  });

  it.each(SOURCE_PROFILES)('$name: nobody else is named', ({ name }) => {
    const wrong = of(name).filter(
      (outcome) => outcome.said !== undefined && outcome.said.killer !== 'unknown' && !isNamed(outcome),
    );
    expect(wrong.map(textOf)).toEqual([]);
  });

  it.each(SOURCE_PROFILES)('$name: who did it is never excluded', ({ name }) => {
    expect(of(name).filter(isShutOut).map(textOf)).toEqual([]);
  });

  it.each(SOURCE_PROFILES)('$name: no answer is surer than its sources can make it', ({ name, ceiling }) => {
    const above = of(name).filter(
      ({ said }) =>
        said !== undefined && sureness(said.confidence) > sureness(ceilingOf(said.killer, ceiling)),
    );
    expect(above.map(textOf)).toEqual([]);
  });

  it('nobody is said to live who died', () => {
    const revived = [...outcomes.values()]
      .flat()
      .filter(({ said, subject }) => said?.killer === 'none' && subject.truth.killer !== 'none');
    expect(revived.map(textOf)).toEqual([]);
  });

  it('an OOM kill on cgroup v2 whose books close is proven without a witness', () => {
    const unproven = of('API, node logs and counters').filter(
      ({ subject, said }) =>
        isOfMemory(subject) && !LATE_ENDS.includes(subject.name) && said?.confidence !== 'proven',
    );
    expect(unproven.map(textOf)).toEqual([]);
  });
});

/** Proven with everything, on v2, with a counter of the node that the witness read. */
function isOfMemory({ capture, truth }: JudgedSubject): boolean {
  const { killer, confidence } = truth;
  const isOom = killer === 'memcg-oom' || killer === 'global-oom';
  const isCounted = (capture.files.get('node-1/witness.jsonl') ?? '').includes('"oomKills":');
  return isOom && confidence === 'proven' && isCounted && capture.record.variant.cgroup !== 'v1';
}

/**
 * The node without memory noticed the end a quarter of a minute after the kill, and no record but the witness has the pid of
 * the first process: another SIGKILL may have ended it meanwhile.
 */
const LATE_ENDS = ['memory-stall'];

/** The first 63 captures are older. */
const FIRST_UNTIL = '2026-11-22T03:00Z';

describe.runIf(DRAWS_ALL)('of all captures', () => {
  const shareOf = (name: string): number => of(name).filter(isNamed).length / subjects.length;

  it('most keep their killer without a witness', () => {
    const table = SOURCE_PROFILES.map(({ name }) => {
      const all = of(name);
      const proven = all.filter(
        (outcome) => isNamed(outcome) && outcome.said?.confidence === 'proven',
      ).length;
      return `${name}: ${all.filter(isNamed).length} of ${all.length} named, ${proven} of them proven`;
    });
    process.stdout.write(`${table.join('\n')}\n`);
    expect(subjects).toHaveLength(captureNames().length);
    expect(shareOf('no witness')).toBeGreaterThanOrEqual(0.85);
    const first = of('no witness').filter(({ subject }) => subject.capture.record.startedAt < FIRST_UNTIL);
    expect(first).toHaveLength(63);
    // Of the others five got a signal from outside, three ended with a code that such a signal leaves as well, three live, and of one only its cgroup tells.
    expect(first.filter(isNamed).length).toBeGreaterThanOrEqual(51);
    expect(shareOf('node only')).toBeGreaterThanOrEqual(0.4);
    expect(shareOf('everything')).toBeGreaterThanOrEqual(0.99);
  });
});

describe('the table of ceilings', () => {
  it('never sinks with more sources', () => {
    for (const { truth } of subjects) {
      const row = PROFILES.map((profile) => sureness(ceilingOf(truth.killer, profile)));
      expect(row).toEqual([...row].sort((a, b) => a - b));
    }
  });
});
