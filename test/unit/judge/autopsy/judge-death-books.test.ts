import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeathAnswer } from '../../../../lab/judge/autopsy/judge-death.ts';
import { judgeDeath } from '../../../../lab/judge/autopsy/judge-death.ts';
import type { Observation } from '../../../../lab/model/evidence/observation.ts';
import { loadCapture, renumber, withLines, type Capture } from '../../../fixtures/evidence/load-capture.ts';
import { judgeProfile, observe, SOURCE_PROFILES } from '../../../fixtures/autopsy/source-profiles.ts';
import { cases } from '../../../fixtures/properties.ts';

const KMSG = 'node-1/kmsg.log';
const KILLED = /Killed process \d+ /;
const COUNTED = SOURCE_PROFILES.find(({ name }) => name === 'API, node logs and counters');
/** Somebody killed it with the same exit code, and the OOM killer had nothing to do with it. */
const SIGKILL = 'two-die-killed';
/** OOM kills of a group, at the limit of a pod, of the node, and beside a sibling. */
const OOMS = [
  'oom-single-container--1.36',
  'oom-guaranteed--containerd-2.3.7_runc@1.4.3',
  'memory-stall--limit-1Gi',
  'oom-sibling',
];

function judge(capture: Capture): DeathAnswer {
  if (COUNTED === undefined) throw new Error('no profile has counters');
  const answer = judgeProfile(capture, COUNTED);
  if (answer.kind !== 'answer') throw new Error(answer.says);
  return answer;
}

const excludedBy = ({ attribution }: DeathAnswer, what: string): string | undefined =>
  attribution.excluded?.find((cause) => cause.what === what)?.by;
const BY_OOM = 'an OOM kill of its first process';

describe('the books of the kernel', () => {
  it.each(OOMS)('%s: close, and prove the kill without any witness', (name) => {
    expect(judge(loadCapture(name)).attribution).toMatchObject({ confidence: 'proven' });
  });

  it.each(OOMS)(
    '%s: with any lines of kills removed nothing is proven, and the lost ones are counted',
    (name) => {
      const capture = loadCapture(name);
      const lines = (capture.files.get(KMSG) ?? '').trimEnd().split('\n');
      const kills = lines.flatMap((line, index) => (KILLED.test(line) ? [index] : []));
      fc.assert(
        fc.property(fc.subarray(kills, { minLength: 1 }), (removed) => {
          const cut = withLines(capture, KMSG, (all) =>
            renumber(all.filter((_, index) => !removed.includes(index))),
          );
          const answer = judge(cut);
          expect(answer.attribution.confidence).not.toBe('proven');
          expect(answer.note).toMatch(new RegExp(`counted \\d+ OOM kills, and ${removed.length} of them`));
        }),
        { numRuns: cases(10) },
      );
    },
  );

  it.each([...OOMS, SIGKILL])('%s: any line that somebody wrote voids all of them', (name) => {
    const capture = loadCapture(name);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 1, max: 3 }), (pid, times) => {
        const { attribution, note } = judge(withLines(capture, KMSG, (all) => forge(all, pid, times)));
        expect(attribution.killer).toBe('unknown');
        expect(note).toMatch(/^void: the log has \d OOM kills? more than the kernel counted/);
      }),
      { numRuns: cases(10) },
    );
  });

  it('close without a line about it: the OOM killer is excluded for the whole boot', () => {
    const answer = judge(loadCapture(SIGKILL));
    expect(answer.attribution.killer).toBe('unknown');
    expect(excludedBy(answer, BY_OOM)).toMatch(
      /^the kernel counted \d+ OOM kills of its node, its log has as many lines, and none is about it$/,
    );
  });

  it('exclude nothing when they were read before the death', () => {
    const capture = loadCapture(SIGKILL);
    const early = (seen: Observation): Observation =>
      seen.kind === 'node-beat' ? { ...seen, at: Date.parse(capture.record.startedAt) } : seen;
    if (COUNTED === undefined) throw new Error('no profile has counters');
    const pod = 'default/' + judge(capture).attribution.victim.split(' ')[0]?.split('/')[0];
    const { container } = capture.record.victim;
    const answer = judgeDeath(observe(capture, COUNTED).map(early), { pod, container });
    if (answer.kind !== 'answer') throw new Error(answer.says);
    expect(excludedBy(answer, BY_OOM) ?? '').not.toMatch(/the kernel counted/);
  });
});

/** The log with a kill that the kernel never did, written as a privileged pod can write it. */
function forge(lines: readonly string[], pid: number, times: number): string[] {
  const at = Math.max(1, lines.length - 1);
  const before = lines.slice(0, at);
  const micros = Number(before.at(-1)?.split(',')[2]);
  const text = `Memory cgroup out of memory: Killed process ${pid} (eater) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:978`;
  const written = Array.from({ length: times }, () => `3,1,${micros},-;${text}`);
  return renumber([...before, ...written, ...lines.slice(at)]);
}
