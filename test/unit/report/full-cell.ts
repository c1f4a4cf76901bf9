import type { CellResult } from '../../../lab/model/saved/formats.ts';
import { createCell } from './made-run.ts';

/** A cell with every text that some page prints. */
export function createFullCell(verdict: CellResult['verdict'], scenario = 'full'): CellResult {
  const ref = { source: 'kmsg', at: '2026-04-12T10:00:00.000Z', file: 'node-1/kmsg.log', line: 1, text: 'x' };
  return createCell(scenario, {
    verdict,
    note: 'a note',
    expected: { killer: 'unknown', reason: 'a reason' },
    parameters: { memory: '64Mi' },
    attribution: {
      killer: 'unknown',
      victim: 'eater',
      confidence: 'none',
      doubts: ['a doubt'],
      because: [{ ...ref, line: 2 }],
      chain: [{ ...ref, step: 'cause' }],
      findings: [{ what: 'a finding', explained: false, because: [ref] }],
      excluded: [{ what: 'a killer', by: 'a reason' }],
      open: [{ what: 'another', why: 'a reason', wanted: 'a record' }],
    },
    claims: [
      { layer: 'kernel', says: 'a claim', agrees: null },
      { layer: 'api', says: 'a wrong one', agrees: false },
    ],
    mismatches: [{ field: 'reason', expected: 'this', observed: 'that' }],
    measures: [
      {
        measure: 'zombies',
        unit: 'zombies',
        n: 2,
        last: 5,
        max: 7,
        points: [{ at: ref.at, value: 5, source: 'sampler', file: 'node-1/samples.jsonl', line: 1 }],
        bounds: [
          {
            statistic: 'last',
            expected: 'at least 6',
            holds: false,
            value: 5,
            reason: 'a reason',
            why: 'a cause',
          },
        ],
      },
    ],
    startFailure: { id: 'a-failure', expected: true, text: 'no pod', seen: 'a line of the journal' },
    attempts: [{ verdict, killer: 'unknown', evidence: 'cells/run-1', note: 'why' }],
    bug: { id: 'a-bug', state: 'shows' },
  });
}

/** Every text of a value, by its path. */
export function textsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, [...path, name]));
}

/** A copy in which the text of one path is another. */
export function replaceText<T>(value: T, path: readonly string[], change: (text: string) => string): T {
  const copy = structuredClone(value);
  let at = copy as Record<string, unknown>;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
  const last = path.at(-1) ?? '';
  at[last] = change(String(at[last]));
  return copy;
}
