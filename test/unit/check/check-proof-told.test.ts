import { describe, expect, it } from 'vitest';
import { checkProof } from '../../../lab/check/check-proof.ts';
import type { Claim } from '../../fixtures/change-proof.ts';
import { judgeCapture, type Capture } from '../../fixtures/evidence/load-capture.ts';
import { judgedCases } from '../../fixtures/judged-cases/load-judged-case.ts';
import { allStories } from '../../fixtures/told/all-stories.ts';

/**
 * Stories whose true answer the checker does not accept, by the first thing that it finds. It reads the summary of an OOM
 * kill in one line (Linux 4.20 or newer), does not relate clocks of a kernel log, and has no words for rare ends. Who
 * teaches it one strikes it out.
 */
const NOT_YET_READ: Readonly<Record<string, readonly string[]>> = {
  'cases that were made to fool the judge': [
    'K09-stale-preemption-condition-then-delete',
    'K11-crio-conmon-killed-then-delete',
    'M21-printk-clock-6s-behind',
    'V01-real-runc-start-oom-1',
    'V02-real-runc-start-oom-2',
  ],
  'it does not say': [
    'a runc of before 1.1 says only that a pipe broke; RHEL 8.1 names runc:[1:CHILD]',
    'Linux 4.19 chooses the program and sacrifices it at once; the trace knows the pid',
    'RHEL 7 under docker names a thread of the program as chosen, and writes the line of the kill with UID',
    'RHEL 8.1 with CRI-O tells of the limit in the old words and of the kill in the new ones',
    'in a kind cluster the limit of the container that is the node is hit, and the host numbers its processes',
    'the limit takes the first process; the clock of the kernel log is 4 s ahead',
    'a worker is OOM-killed and the program follows it; the clock of the kernel log is 9 s behind',
    'Amazon’s 4.14 sacrifices a child of the chosen first process, which follows it with 137',
    'Ubuntu’s 5.4 with cgroupfs on v1: a thread of the JVM allocates, the JVM dies; nobody traced',
    'RHEL 8 under CRI-O: the old words for the limit, no trace, no counters, and a label of the API that is right',
    'nobody traced; journals with both clocks date the kernel’s log: the OOM kill is the end',
  ],
  'nobody had asked before the signal': [
    'events gone, the kubelet silent: the status of the pod alone says why',
    'the events came late in one list: both ends by the probe are one event, of the time of the second',
  ],
  'that was not the last act': [
    'the trace has no name for the sender, only the cgroup of the service, on a node with CRI-O',
    'docker stop of the container that is a node of kind: its systemd ends everything',
    'a worker that shares the memory of the first process is chosen, and both are killed at once',
    'held out: a preStop hook runs for a deletion, and a janitor’s service, whose name the trace lost, kills it',
  ],
  'its silence does not count: it says nothing of the end': [
    'it is the sandbox that cannot start: some tries end with a reset connection, some with the right words',
    'CRI-O fails to create the container, which is left waiting',
  ],
  'the chain does not say how: memory': [
    'all events of the pod had gone with their time to live; the pod and the journals still tell of it',
    'an eviction of which every event was lost: the API’s status alone says why',
  ],
  'it is not contradicted: an OOM kill of its first process': [
    'its number went to a process of another pod after its end, and the OOM killer took that one',
    'a pid is used again: a stranger with the number 812 was OOM-killed before the container began',
  ],
  'its life was longer': [
    'the second try succeeds and ends by itself later; the first container of that name never ran',
  ],
  'the limit of the pod was not hit': ['a static pod: events and cgroups carry the hash of its file'],
  'it is not contradicted: a cgroup of the pod that lacked a controller': [
    'it is slow; systemd, which goes down next, signals its scope once more before it ends',
  ],
  'it is not contradicted: a runtime that lost it': [
    'the shim is killed by a shell while a deletion is under way and SIGTERM was already sent',
  ],
  'its silence does not count: it was not read to its end': [
    'a person deletes the pod; behind the kernel log is that of the boot before, where this number was OOM-killed',
  ],
  'its silence does not count: a record is missing': [
    'a shell kills it; before the kernel log is the rest of a long boot, where this number was OOM-killed',
  ],
  'the chain is not that of node-shutdown': [
    'the spot machine is taken: systemd goes down without waiting for the kubelet and signals the container',
  ],
  'it is not contradicted: a failed probe': [
    'held out: crictl stop; 400 ms later, in the same second, the probe has failed often enough',
  ],
  'the chain does not say how: delete': [
    'held out: somebody deletes the pod; while it ends somebody else drains the node',
  ],
  'its silence does not count: it begins after the container': [
    'held out: a stranger stops it before the witness began, which it does not heed; its limit is hit later',
  ],
  'the API has no container of this id': [
    'the API never heard of the first container, which its own program aborted',
  ],
};

const stories = await allStories();
const unread = new Set(Object.values(NOT_YET_READ).flat());

/** The first problem of a proof; undefined when it is accepted, or nobody is named. */
function findProblem(claim: Claim, { files, record }: Capture): string | undefined {
  if (claim.killer === 'unknown') return undefined;
  const saved = new Map([['cell.json', JSON.stringify(record)], ...files]);
  const [found] = checkProof(claim, saved);
  return found && `${found.problem} (${found.file ?? '-'}:${found.line ?? '-'})`;
}

/** Told stories and handed cases, with the answer of the judge. */
const judged = [
  ...stories.map(({ name, judge, tell }) => ({ name, judge, tell })),
  ...judgedCases().map(({ name, capture }) => ({
    name,
    judge: () => judgeCapture(capture),
    tell: () => capture,
  })),
];

describe('the proof of a story', () => {
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
