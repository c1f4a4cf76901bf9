import { describe, expect, it } from 'vitest';
import { problemsOfScenario, shippedWith } from '../../project-files.ts';

const file = 'scenarios/control-plane-killed/scenario.yaml';
const refusedAs = (from: string, to: string): readonly string[] =>
  problemsOfScenario(shippedWith(file, from, to)).map(({ path }) => path);

describe('a victim that only its node knows', () => {
  it('is in a project that is right', () => {
    expect(refusedAs('', '')).toEqual([]);
  });

  it.each([
    ['what follows', '  then: restarts\n', 'expect.then'],
    ['the reason in the status', '  reason: [Error]\n', 'expect.reason'],
    ['another that must die', "  alsoDies: ['kube-system/etcd-*/etcd']\n", 'expect.alsoDies'],
    ['another that must live', "  alsoSurvives: ['kube-system/etcd-*/etcd']\n", 'expect.alsoSurvives'],
  ])('cannot be asked for %s, which the API tells', (_, field, path) => {
    const killer = '  killer: kubelet-cgroup-missing\n';
    expect(refusedAs(killer, `${killer}${field}`)).toEqual([path]);
  });

  it('cannot have done to it what goes through the API', () => {
    expect(refusedAs('stimulus:\n', 'stimulus:\n  - kind: delete-pod\n')).toEqual(['stimulus.0.kind']);
  });
});
