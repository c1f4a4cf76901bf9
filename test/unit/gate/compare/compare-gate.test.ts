import { describe, expect, it } from 'vitest';
import { falseAlarmShare, simulateAlarms } from '../../../../bin/bench/offline/gate.ts';
import { createRandom } from '../../../random.ts';
import {
  addressWith,
  compareGate,
  gateHead,
  listClashes,
  statusOfGate,
} from '../../../../lab/gate/compare/compare-gate.ts';
import { gatherTrials, type Trial } from '../../../../lab/gate/compare/gather-trials.ts';
import { describeDeath, readDeathOf } from '../../../../lab/gate/compare/read-death.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { gateSchema, type GateResult } from '../../../../lab/model/saved/gate.ts';
import { renderGateJunit } from '../../../../lab/report/formats/render-gate-junit.ts';
import { renderGateMarkdown } from '../../../../lab/report/markdown/render-gate-markdown.ts';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';

/** A capture as the saved result of its cell, under one address, as if the program under test had changed its end. */
function cellOf(capture: string, change: Partial<CellResult> = {}): CellResult {
  const loaded = loadCapture(capture);
  const { record } = loaded;
  const { attribution, claims } = judgeCapture(loaded);
  return {
    address: 'default/the-cell',
    variant: { ...record.variant },
    scenario: 'the-cell',
    verdict: 'passed',
    expected: {},
    attribution,
    claims: [...claims],
    mismatches: [],
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 12_000 },
    evidence: 'cells/default/the-cell',
    ...change,
  };
}

let runs = 0;
/** So many trials of a cell, each in a run of its own. */
function trials(count: number, cell: CellResult, more: Partial<Trial> = {}): Trial[] {
  return Array.from({ length: count }, () => ({
    run: `run-${(runs += 1)}`,
    cell,
    accelerator: 'tcg' as const,
    ...more,
  }));
}

const told = cellOf('cron-job-oom');
const lost = cellOf('cron-job-oom--oom-event-lost');
const otherKiller = cellOf('sigkill-from-node');
const otherLevel: CellResult = { ...told, attribution: { ...told.attribution, level: 'container' } };
const otherExit: CellResult = {
  ...told,
  claims: told.claims.map((claim) =>
    claim.layer === 'api' ? { ...claim, says: 'OOMKilled, exit 1' } : claim,
  ),
};
const slower: CellResult = { ...told, timings: { ...told.timings, totalMs: 90_000 } };
const unseen: CellResult = { ...told, verdict: 'inconclusive', note: 'void, the host was busy' };
const elsewhere: CellResult = { ...told, address: 'v1/the-cell', variant: { ...told.variant, cgroup: 'v1' } };

function gate(base: Trial[], head: Trial[]): GateResult {
  const sides = { base: gatherTrials(base), head: gatherTrials(head) };
  return gateSchema.parse({ ...gateHead('base.json', ['run'], undefined), ...compareGate(sides) });
}

describe('a gate', () => {
  it.each([
    [
      'a changed reason',
      trials(7, told),
      trials(7, lost),
      'failed',
      'turns OOMKilled into Error in 7 of 7 (base 0 of 7)',
    ],
    [
      'a changed exit code',
      trials(7, told),
      trials(7, otherExit),
      'failed',
      'turns exit 137 into exit 1 in 7 of 7 (base 0 of 7)',
    ],
    [
      'a changed level',
      trials(5, told),
      trials(4, otherLevel),
      'failed',
      /at pod level.* into .*at container level.* in 4 of 4/,
    ],
    [
      'a changed killer',
      trials(3, told),
      trials(4, otherKiller),
      'failed',
      /memcg-oom at pod level.* into external-signal/,
    ],
    [
      'a rate that rose',
      [...trials(9, told), ...trials(1, lost)],
      trials(9, lost),
      'failed',
      'in 9 of 9 (base 1 of 10)',
    ],
    ['only other times', trials(3, told), trials(1, slower), 'passed', 'as before'],
    ['a flaky cell', [...trials(3, told), ...trials(3, lost)], trials(2, lost), 'passed', 'flaky, as before'],
    [
      'a death seen too seldom',
      trials(3, told),
      trials(1, lost),
      'inconclusive',
      'Error instead of OOMKilled in 1 of 1 (base 0 of 3): 4 of 4 would decide',
    ],
    [
      'a baseline of one trial',
      trials(1, told),
      trials(7, lost),
      'inconclusive',
      'record it with --repeat 3',
    ],
    ['a void cell', trials(3, told), trials(3, unseen), 'inconclusive', 'void, the host was busy'],
    [
      'a cell that the baseline did not see',
      trials(3, unseen),
      trials(3, told),
      'inconclusive',
      'the baseline has no verdict',
    ],
    ['a missing cell', trials(3, told), [], 'inconclusive', 'it was not run with the change'],
  ] as const)('answers about %s', (_, base, head, status, says) => {
    const result = gate([...base], [...head]);
    expect(statusOfGate(result)).toBe(status);
    const said = [...result.changed, ...result.flaky, ...result.same].map((cell) => cell.says);
    const text = [...said, ...result.notDecided.map(({ why }) => why)].join('\n');
    if (typeof says === 'string') expect(text).toContain(says);
    else expect(text).toMatch(says);
  });

  it('names a new cell, and is not green when it compared nothing', () => {
    const beside = gate(trials(3, told), [...trials(1, told), ...trials(1, elsewhere)]);
    expect(beside.new).toEqual(['v1/the-cell']);
    expect(statusOfGate(beside)).toBe('passed');
    expect(statusOfGate(gate([], trials(3, told)))).toBe('inconclusive');
  });

  it('counts a trial once, however often its run is named', () => {
    const [trial] = trials(1, lost);
    expect(gatherTrials([trial!, trial!, trial!])[0]?.of).toBe(1);
  });

  it('keeps apart what ran under one address before and after a named runc had a handler of its own', () => {
    const cell = {
      ...told,
      address: 'runc@1.5.2/the-cell',
      variant: { ...told.variant, runtime: 'runc@1.5.2' },
    };
    const before = trials(3, cell, { versions: { runc: '1.5.2' } });
    const after = trials(2, cell, { versions: { runc: '1.1.5', 'runc-under-test': '1.5.2' } });
    const cells = gatherTrials([...before, ...after]);
    expect(cells.map(({ address, variant, of }) => [address, variant.runtime, of])).toEqual([
      ['runc@1.5.2+everywhere/the-cell', 'runc@1.5.2+everywhere', 3],
      ['runc@1.5.2/the-cell', 'runc@1.5.2', 2],
    ]);
  });

  it('pairs cells whatever the version of the program under test is', () => {
    const built = {
      ...lost,
      address: 'runc@1.5.2/the-cell',
      variant: { ...lost.variant, runtime: 'runc@1.5.2' },
    };
    const sides = { base: gatherTrials(trials(7, told)), head: gatherTrials(trials(7, built)) };
    expect(compareGate(sides).changed).toEqual([]);
    expect(compareGate({ ...sides, program: 'runc' }).changed.map(({ address }) => address)).toEqual([
      'runc@1.5.2/the-cell',
    ]);
    expect(addressWith(sides.base[0]!, 'runc', 'runc@1.5.2')).toBe('runc@1.5.2/the-cell');
    expect(listClashes([...sides.base, ...sides.head], 'runc')).toEqual([
      'default/the-cell and runc@1.5.2/the-cell',
    ]);
  });

  it('shows the proof of both sides to a pull request and to a CI server', () => {
    const result = gate(trials(7, told), trials(7, lost));
    const page = renderGateMarkdown(result);
    for (const { because } of [...result.changed[0]!.base.deaths, ...result.changed[0]!.head.deaths])
      expect(page).toContain(because[0]!.file);
    expect(page).toContain('1 changed death');
    expect(renderGateJunit(result)).toContain('failures="1"');
  });
});

describe('a death', () => {
  it.each([
    ['cron-job-oom', 'memcg-oom at pod level, OOMKilled, exit 137'],
    ['cron-job-oom--oom-event-lost', 'memcg-oom at pod level, Error, exit 137'],
    ['exit-one', 'self-exit, Error, exit 1'],
    ['oom-child-group--single-process-oom', 'memcg-oom at pod level, no end in the API'],
    ['within-limits', 'survived'],
    ['config-missing', 'never started, CreateContainerConfigError'],
  ])('of %s is read from attribution and claims', (capture, says) => {
    expect(describeDeath(readDeathOf(judgeCapture(loadCapture(capture))))).toBe(says);
  });
});

describe('the rule', () => {
  it.each(['when-new', 'always'] as const)(
    'is wrong about less than 5 % of unchanged cells, looking again %s',
    (again) => {
      for (const base of [1, 2, 3, 5, 7, 10, 20])
        for (const rate of [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
          expect(falseAlarmShare(rate, base, again), `base of ${base}, rate ${rate}`).toBeLessThan(0.05);
    },
  );

  it('is as often wrong about drawn cells as is calculated', () => {
    const drawn = simulateAlarms(0.3, 20, 'always', createRandom(1));
    expect(Math.abs(drawn - falseAlarmShare(0.3, 20, 'always'))).toBeLessThan(0.02);
  });
});
