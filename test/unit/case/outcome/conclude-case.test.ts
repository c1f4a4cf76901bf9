import { describe, expect, it } from 'vitest';
import { compareTraces, concludeCase } from '../../../../lab/case/outcome/conclude-case.ts';
import { tracesOfObservations } from '../../../../lab/case/outcome/traces.ts';
import type { CaseTrace } from '../../../../lab/model/saved/case.ts';
import { stageCapture } from '../../../fixtures/evidence/stage-capture.ts';

const KILLED = stageCapture('oom-single-container');
const LIVES = stageCapture('within-limits');
const TRACES = tracesOfObservations(KILLED.observations).filter(
  ({ layer }) => layer === 'kernel' || layer === 'api',
);
const REPORTED = { traces: TRACES, killer: 'memcg-oom' as const };

describe('a report beside a staged cell', () => {
  it('is reproduced when every trace of it is there, and its neighbour does not show them', () => {
    const tried = concludeCase(REPORTED, KILLED, LIVES);
    expect(tried).toMatchObject({ outcome: 'reproduced', neighbour: 'default/within-limits' });
    expect(tried.traces.map(({ state }) => state)).toEqual(TRACES.map(() => 'same'));
  });

  it.each(TRACES.map((trace) => [`${trace.layer} ${trace.what} ${trace.value}`, trace] as const))(
    'is not reproduced when a trace differs: %s',
    (_, trace) => {
      const changed = TRACES.map((one) => (one === trace ? { ...one, value: 'something-else' } : one));
      const tried = concludeCase({ ...REPORTED, traces: changed }, KILLED, LIVES);
      expect(tried.outcome).toBe('not-reproduced');
      expect(tried.because).toContain('something-else');
    },
  );

  it.each<[string, CaseTrace]>([
    ['a trait that was not staged', { layer: 'api', what: 'trait', value: 'in-place resize' }],
    [
      'an error that nobody printed',
      { layer: 'runtime', what: 'message', value: 'fork/exec /proc/self/exe invalid argument' },
    ],
    ['a node that hung', { layer: 'node', what: 'node', value: 'hung' }],
  ])('is not reproduced without %s', (_, trace) => {
    const tried = concludeCase({ ...REPORTED, traces: [...TRACES, trace] }, KILLED, LIVES);
    expect(tried).toMatchObject({
      outcome: 'not-reproduced',
      because: expect.stringContaining('is missing') as string,
    });
  });

  it('is not reproduced by another death when it speaks of an OOM kill', () => {
    const traces: CaseTrace[] = [
      { layer: 'api', what: 'exit code', value: '137' },
      { layer: 'api', what: 'reason', value: 'Error' },
      { layer: 'kernel', what: 'OOM kill', value: 'any' },
    ];
    const other = stageCapture('sigkill-from-node');
    expect(concludeCase({ traces: traces.slice(0, 2), killer: undefined }, other, LIVES).outcome).toBe(
      'reproduced',
    );
    expect(concludeCase({ traces, killer: undefined }, other, LIVES).because).toContain(
      'OOM kill is missing',
    );
    const [code, , kill] = traces as [CaseTrace, CaseTrace, CaseTrace];
    const reason: CaseTrace = { layer: 'api', what: 'reason', value: 'OOMKilled' };
    expect(concludeCase({ traces: [code, reason, kill], killer: undefined }, KILLED, LIVES).outcome).toBe(
      'reproduced',
    );
    // What is only said of it in passing is no second trace.
    expect(concludeCase({ traces: [code, kill], killer: undefined }, KILLED, LIVES).because).toContain(
      'one trace',
    );
  });

  it('is not reproduced when it says too little to be told from other deaths', () => {
    expect(concludeCase({ traces: TRACES.slice(0, 1), killer: undefined }, KILLED, LIVES).outcome).toBe(
      'not-reproduced',
    );
    expect(concludeCase({ traces: [], killer: undefined }, KILLED, LIVES).because).toContain('too little');
  });

  it.each(['sigkill-from-node', 'plain-exit', 'within-limits'])(
    'is not reproduced by another death: %s',
    (name) => {
      expect(concludeCase(REPORTED, stageCapture(name), LIVES).outcome).toBe('not-reproduced');
    },
  );

  it('is not reproduced without a neighbour, beside one that shows the same, or by a cell that nobody saw', () => {
    expect(concludeCase(REPORTED, KILLED, undefined).because).toContain('no neighbour');
    expect(concludeCase(REPORTED, KILLED, KILLED).because).toContain('shows the same');
    const unseen = { ...KILLED, result: { ...KILLED.result, verdict: 'inconclusive' as const } };
    expect(concludeCase(REPORTED, unseen, LIVES).because).toContain('inconclusive');
  });

  it('is not reproduced when its logs name another killer', () => {
    expect(concludeCase({ ...REPORTED, killer: 'external-signal' }, KILLED, LIVES).because).toContain(
      'external-signal',
    );
  });

  it('is compared layer by layer', () => {
    const wanted: CaseTrace = { layer: 'api', what: 'exit code', value: '143' };
    expect(compareTraces([wanted], KILLED)).toEqual([{ ...wanted, cell: '137', state: 'differs' }]);
    expect(compareTraces([wanted], LIVES)).toEqual([{ ...wanted, state: 'missing' }]);
  });
});
