import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../../../lab/judge/verdict/judge-cell.ts';
import type { Outcome } from '../../../../lab/model/declared/scenario.ts';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { terminated } from '../../../fixtures/told/api-words.ts';
import { CAST, iso, scopeOf } from '../../../fixtures/told/cast.ts';
import { Story } from '../../../fixtures/told/story.ts';

const PROJECT = join(import.meta.dirname, '../../../..');
const [CONFIG, ADVICE] = ['vitest.config.ts', 'docs/your-own-project.md'].map(
  (file) => /condition: \/(.+)\/ }/.exec(readFileSync(join(PROJECT, file), 'utf8'))?.[1],
);
/** By which words a test of a cell is run again (vitest.config.ts). */
const RUN_AGAIN = new RegExp(CONFIG ?? '(?!)');

interface Load {
  readonly busy?: number;
  readonly own?: number;
  readonly full?: number;
  /** Seconds by which the clock of the host was set forward at the end. */
  readonly step?: number;
}

/** A cell of 30 s on two CPUs; the node beats each second but for a silence. */
function cell(
  load: Load,
  silence: { seconds?: number; ownStall?: number; steal?: number } = {},
  kernel?: string,
) {
  const { seconds = 1, ownStall = 0, steal = 0 } = silence;
  const story = new Story();
  for (const [at, share] of [
    [0, 0],
    [30, 1],
  ] as const) {
    const line = {
      at: Date.parse(iso(at)) + share * (load.step ?? 0) * 1000,
      monotonicMs: 7_000 + at * 1000,
      cpus: 2,
      busyMs: 5_000_000 + share * (load.busy ?? 60_000),
      ownMs: share * (load.own ?? 59_000),
      memoryFullMs: share * (load.full ?? 0),
    };
    story.raw('host.jsonl', JSON.stringify(line));
  }
  const beat = (at: number, extra = 0, stolen = 0): unknown =>
    story.witness(at, 'node', { memoryFullMicros: 1000 + extra * 1e6, stealMs: stolen, cpus: 2 });
  for (const at of [3.6, 4.6, 4.6 + seconds]) beat(at, at > 5 ? ownStall : 0);
  story.signal(18, { sig: 15, pid: CAST.init, sender: [1, 'bash', '/system.slice/ssh.service'] });
  story.exit(18.01).pod(19, { state: terminated(18, 143) });
  for (let at = 5.6 + seconds; at < 29; at += 1) beat(at, ownStall, at > 28 ? steal : 0);
  if (kernel !== undefined) story.kernel(10, kernel);
  return judgeCapture(story.tell({ killer: 'external-signal' }));
}

describe('a verdict is void', () => {
  it.each([
    ['when a node stood still', () => cell({}, { seconds: 12 }), /node-1 stood still for 12 s/],
    [
      'when others took the CPUs and a beat was late',
      () => cell({ own: 10_000 }, { seconds: 4 }),
      /used 83 % of its CPUs, a node was 4 s late/,
    ],
    [
      'when the clock of the host was set',
      () => cell({ step: 20 }),
      /the clock of the host went forward by 20 s, or the host slept/,
    ],
    ['when it was set back', () => cell({ step: -3600 }), /went back by 3600 s/],
    [
      'when the host waited for memory',
      () => cell({ full: 6_000 }),
      /the host waited for memory in 20 % of the time/,
    ],
    [
      'when the hypervisor gave the CPU to others',
      () => cell({}, { steal: 20_000 }),
      /of the CPU time of node-1 went to others/,
    ],
    [
      'when the kernel saw a CPU locked up',
      () => cell({}, {}, 'watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [x:1]'),
      /soft lockup/,
    ],
  ])('%s', (_, judge, why) => {
    const judged = judge();
    expect(judged).toMatchObject({ verdict: 'inconclusive', mismatches: [] });
    expect(judged.note).toMatch(/^void, the machines were disturbed: /);
    expect(judged.note).toMatch(RUN_AGAIN);
    expect(judged.note).toMatch(why);
    // Who it was is as certain as before.
    expect(judged.attribution.killer).toBe('external-signal');
  });
});

describe('a verdict holds', () => {
  it.each([
    ['while the own machines use every CPU', () => cell({ own: 60_000 }, { seconds: 4 })],
    ['while others use the CPUs and no beat is late', () => cell({ own: 10_000 })],
    ['when the node stood still for lack of its own memory', () => cell({}, { seconds: 12, ownStall: 9 })],
    ['when a beat was a little late', () => cell({}, { seconds: 5 })],
  ])('%s', (_, judge) => {
    expect(judge()).toMatchObject({ verdict: 'passed' });
  });
});

/** The victim ate for 27 s on cgroup v2, and others had the CPU for some of them. */
function eater(waitedSeconds: number, expected: Outcome = SURVIVES, diesAt?: number): Judgement {
  const scope = scopeOf(CAST.container);
  const pressure = (at: number, full: number): Story =>
    story.values(at, scope, 'cpu.pressure', { some: full * 1.5e6, full: full * 1e6 });
  const story = new Story();
  pressure(3, 0.5);
  if (diesAt === undefined) {
    story.values(29.5, scope, 'memory.events.local', { oom: 0, oom_kill: 0 });
  } else {
    story.signal(diesAt, { sig: 15, pid: CAST.init, sender: [1, 'bash', '/system.slice/ssh.service'] });
    story.exit(diesAt + 0.01).pod(diesAt + 1, { state: terminated(diesAt, 143) });
  }
  pressure(29.5, 0.5 + waitedSeconds);
  return judgeCapture(story.tell(expected));
}

const SURVIVES: Outcome = { killer: 'none', survivesSeconds: 20 };
const MUST_DIE: Outcome = { killer: 'memcg-oom', withinSeconds: 20 };
const MUST_END: Outcome = { killer: 'external-signal', withinSeconds: 5 };

describe('the advice to others', () => {
  it('runs the same tests again', () => {
    expect(ADVICE).toBe(CONFIG);
  });
});

describe('of a starved container', () => {
  it.each([
    ['that lives although it had to die', () => eater(25, MUST_DIE)],
    ['that lives as it had to', () => eater(25)],
    ['that died too late', () => eater(25, MUST_END, 18)],
  ])('%s, nothing is said', (_, judge) => {
    const judged = judge();
    expect(judged).toMatchObject({ verdict: 'inconclusive', mismatches: [] });
    expect(judged.note).toBe('void, the container was starved: others had the CPU for 25 s of 27 s');
    expect(judged.note).toMatch(RUN_AGAIN);
  });

  it.each([
    [
      'that died in time of what it had to',
      () => eater(25, { ...MUST_END, withinSeconds: 20 }, 18),
      'passed',
    ],
    ['that waited for less than half of its time', () => eater(12), 'passed'],
    ['that waited a little and lives although it had to die', () => eater(12, MUST_DIE), 'failed'],
    ['that waited a little and died too late', () => eater(12, MUST_END, 18), 'failed'],
  ])('%s, the verdict holds', (_, judge, verdict) => {
    expect(judge()).toMatchObject({ verdict });
  });
});

it.each([
  ['memory.events', { max: 1408, oom_kill: 0 }],
  ['memory.failcnt', { '': 1408 }],
])('a survivor that was to die and was at its limit is told so (%s)', (file, values) => {
  const story = new Story().values(20, CAST.slice, file, values);
  story.values(29.5, scopeOf(CAST.container), 'memory.events.local', { oom: 0, oom_kill: 0 });
  const { mismatches } = judgeCapture(story.tell(MUST_DIE));
  expect(mismatches[0]?.observed).toMatch(/^alive after \d+ s, at its limit 1408 times$/);
});
