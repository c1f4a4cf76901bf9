import { describe, expect, it } from 'vitest';
import { becauseOf, chainOf, refs } from '../../../../lab/judge/killer/conclusion.ts';
import type { EvidenceRef } from '../../../../lab/model/saved/formats.ts';

const record = (text: string, second?: number): EvidenceRef => ({
  source: 'trace',
  at: second === undefined ? '' : `2025-10-09T08:00:0${second}Z`,
  file: 'node-1/witness.jsonl',
  text,
});

const SIGNAL = record('SIGKILL', 3);
const END = record('it ended', 2);
const ASKED = record('StopContainer', 5);
const STATUS = record('the status of the pod');
const BASE = { killer: 'runtime-stop', decisive: [] } as const;

describe('the proof of a conclusion', () => {
  it('has each record once, and none for a step without one', () => {
    expect(refs(SIGNAL, undefined, END, SIGNAL)).toEqual([SIGNAL, END]);
    const steps = { end: [END, SIGNAL], signal: [SIGNAL, undefined] };
    expect(becauseOf({ ...BASE, steps })).toEqual([SIGNAL, END]);
  });
});

describe('the way to an end', () => {
  it('goes by step, and only within a step by time: clocks of two sources differ', () => {
    const steps = { end: [END, STATUS], signal: [SIGNAL], request: [ASKED] };
    const chain = chainOf({ ...BASE, steps });
    expect(chain.map(({ step, text }) => `${step}: ${text}`)).toEqual([
      'request: StopContainer',
      'signal: SIGKILL',
      'end: the status of the pod',
      'end: it ended',
    ]);
  });

  it('has a record at its first step only', () => {
    const chain = chainOf({ ...BASE, steps: { cause: [ASKED], request: [ASKED], end: [END] } });
    expect(chain.map(({ step }) => step)).toEqual(['cause', 'end']);
  });
});
