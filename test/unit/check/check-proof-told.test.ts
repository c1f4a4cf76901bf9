import { describe, expect, it } from 'vitest';
import { checkProof } from '../../../lab/check/check-proof.ts';
import type { Claim } from '../../fixtures/change-proof.ts';
import type { Capture } from '../../fixtures/evidence/load-capture.ts';
import { judgedDeaths, savedFiles } from '../../fixtures/told/judged-deaths.ts';

/**
 * Stories whose true answer the checker does not accept, by the first thing that it finds. It does not relate clocks of a kernel
 * log, reads one boot in it, and has no words for rare ends. Who teaches it one strikes it out.
 */
const NOT_YET_READ: Readonly<Record<string, readonly string[]>> = {
  'it does not say: the clock of the kernel’s log is not that of its witness': [
    'the limit takes the first process; the clock of the kernel log is 4 s ahead',
    'a worker is OOM-killed and the program follows it; the clock of the kernel log is 9 s behind',
    'M21-printk-clock-6s-behind',
  ],
  'it does not say: one line names another process than the kernel took': [
    'RHEL 7 under docker names a thread of the program as chosen, and writes the line of the kill with UID',
    'Amazon’s 4.14 sacrifices a child of the chosen first process, which follows it with 137',
  ],
  'that was not the last act': [
    'a worker that shares the memory of the first process is chosen, and both are killed at once',
  ],
  'its silence does not count: two boots are in one log of the kernel': [
    'a person deletes the pod; behind the kernel log is that of the boot before, where this number was OOM-killed',
    'a shell kills it; before the kernel log is the rest of a long boot, where this number was OOM-killed',
    'in the boot before this pid was OOM-killed at this uptime, and its log is still there; in this boot the program aborts',
  ],
  'nobody had asked before the signal': [
    'the events came late in one list: both ends by the probe are one event, of the time of the second',
  ],
  'its life was longer': [
    'the second try succeeds and ends by itself later; the first container of that name never ran',
    'the API never heard of the first container, which its own program aborted',
  ],
  'it is not contradicted: a request at the runtime': [
    'it is slow; systemd, which goes down next, signals its scope once more before it ends',
  ],
  'it is not contradicted: a failed probe': [
    'held out: crictl stop; 400 ms later, in the same second, the probe has failed often enough',
  ],
};

const judged = await judgedDeaths();
const unread = new Set(Object.values(NOT_YET_READ).flat());

/** The first problem of a proof; undefined when it is accepted, or nobody is named. */
function findProblem(claim: Claim, capture: Capture): string | undefined {
  if (claim.killer === 'unknown') return undefined;
  const [found] = checkProof(claim, savedFiles(capture));
  return found && `${found.problem} (${found.file ?? '-'}:${found.line ?? '-'})`;
}

describe('the proof of a story', () => {
  it('of a deletion by the taint of a device is not that of another way', () => {
    const story = judged.find(({ name }) => name.startsWith('a device of its claim is tainted'))!;
    const claim = story.judge().attribution as Claim;
    expect(findProblem(claim, story.tell())).toBeUndefined();
    for (const how of ['eviction-api', 'delete', 'taint'] as const)
      expect(findProblem({ ...claim, how }, story.tell())).toMatch(`the chain does not say how: ${how}`);
  });

  it('is accepted', () => {
    const rejected = judged.flatMap(({ name, judge, tell }) => {
      const problem = unread.has(name) ? undefined : findProblem(judge().attribution as Claim, tell());
      return problem === undefined ? [] : [`${name}: ${problem}`];
    });
    expect(rejected).toEqual([]);
  });

  it('is listed as not yet read only while it is rejected', () => {
    const listed = judged.filter(({ name }) => unread.has(name));
    expect(listed.map(({ name }) => name).sort()).toEqual([...unread].sort());
    const accepted = listed.filter(
      ({ judge, tell }) => findProblem(judge().attribution as Claim, tell()) === undefined,
    );
    expect(accepted.map(({ name }) => name)).toEqual([]);
  });
});
