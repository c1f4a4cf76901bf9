import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSource, groupNext, listNext } from '../../../../lab/report/words/next-evidence.ts';

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

  it('gives one command for all that it answers', () => {
    const open = [
      { what: 'an OOM kill', why: '', wanted: 'the kernel log (dmesg) of its node' },
      { what: 'a signal', why: '', wanted: 'a trace of signals (signal:signal_generate) on its node' },
      { what: 'a forbidden system call', why: '', wanted: 'the audit records of the kernel' },
    ];
    const sources = groupNext(listNext(open, { namespace: 'web', pod: 'a', node: 'n1' }));
    expect(sources.map(({ tells }) => tells)).toEqual([
      [
        'the kernel log (dmesg) of its node: decides an OOM kill',
        'the audit records of the kernel: decides a forbidden system call',
      ],
      ['a trace of signals (signal:signal_generate) on its node: decides a signal'],
    ]);
    expect(sources[0]?.command).toMatch(/^ssh n1 journalctl -k /);
    expect(sources[1]?.command).toBeUndefined();
  });
});
