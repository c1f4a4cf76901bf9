import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSource, listNext } from '../../../../lab/report/words/what-would-tell.ts';

const JUDGE = 'lab/judge';

/** Everything that the judge says it wants, as its sources have it. */
const wanted = readdirSync(JUDGE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .flatMap((path) => [...readFileSync(join(JUDGE, path), 'utf8').matchAll(/\bwanted: '([^']+)'/g)])
  .map(([, text = '']) => text);

describe('what would tell', () => {
  it('has a source for everything that the judge wants', () => {
    expect(wanted.length).toBeGreaterThan(10);
    expect(wanted.filter((text) => findSource(text) === undefined)).toEqual([]);
  });

  it('names each observation once, with all that it decides, and quotes names for a shell', () => {
    const open = [
      { what: 'a deletion', why: '', wanted: 'the pod as the API had it before its end' },
      { what: 'a preemption', why: '', wanted: 'the pod as the API had it before its end' },
      { what: 'a signal', why: '', wanted: 'a trace of signals (signal:signal_generate) on its node' },
    ];
    const [pod, trace, ...more] = listNext(open, { namespace: 'web', pod: 'a b' });
    expect(more).toEqual([]);
    expect(pod).toMatchObject({ decides: ['a deletion', 'a preemption'] });
    expect(pod?.command).toBe("kubectl get pod 'a b' -n web -o yaml > pod.yaml");
    expect(trace).not.toHaveProperty('command');
    expect(trace?.stillThere).toContain('no: nothing keeps it');
  });
});
