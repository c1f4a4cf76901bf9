import { describe, expect, it } from 'vitest';
import { problemsAfter } from '../../project-files.ts';

describe('a bug that starts no pod', () => {
  it('may be a start failure of its affected variant, and of no other one', () => {
    const file = 'bugs/gvisor-busy-cgroup-procs.yaml';
    const old = 'runtime: runsc@20221203 }';
    expect(problemsAfter(file, 'runtime: runsc@20230927 }', old)).toEqual([
      expect.objectContaining({
        file,
        path: 'fixed',
        expected: 'a variant whose pods start',
        received: 'one of runsc-busy-cgroup-procs',
      }),
    ]);
    const control = `controls: [{ variant: { drivers: cgroupfs+cgroupfs, ${old}, why: x }]\nranges:`;
    expect(problemsAfter(file, 'ranges:', control)).toEqual([
      expect.objectContaining({ file, path: 'controls.0.variant', expected: 'a variant whose pods start' }),
    ]);
    // Where pods start, the scenario expects the same of both.
    expect(problemsAfter(file, 'runtime: runsc@20221216 }', 'runtime: runsc@20240916 }')).toContainEqual(
      expect.objectContaining({
        path: 'scenario',
        received: 'sandbox-limit, which expects memcg-oom of both',
      }),
    );
  });

  it('measures nothing of a variant that starts no pod, and sets it no date', () => {
    const file = 'bugs/gvisor-busy-cgroup-procs.yaml';
    const more = 'reviewBy: 2027-03-31\ncompare: [{ measure: zombies, ratioAtLeast: 2, reason: x }]\nranges:';
    expect(problemsAfter(file, 'ranges:', more).map(({ path, received }) => [path, received])).toEqual([
      ['compare', 'an affected variant that starts no pod (runsc-busy-cgroup-procs)'],
      ['reviewBy', 'an affected variant that starts no pod (runsc-busy-cgroup-procs)'],
    ]);
  });
});
