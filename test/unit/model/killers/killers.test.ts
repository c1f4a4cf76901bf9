import { describe, expect, it } from 'vitest';
import type { Attribution } from '../../../../lab/model/saved/formats.ts';
import {
  describeCause,
  describeExpectedEnd,
  describeOutcome,
} from '../../../../lab/model/saved/describe-outcome.ts';
import {
  FAMILIES,
  findHow,
  HOWS,
  howsOf,
  isOomKiller,
  isRequested,
  KILLERS,
  rowOf,
  verbOf,
} from '../../../../lab/model/killers/killers.ts';
import { adviseOn } from '../../../../lab/report/words/advise.ts';

/** An attribution as far as advice looks at it. */
function named(attribution: Partial<Attribution>): Attribution {
  return { killer: 'memcg-oom', victim: 'p/c', confidence: 'proven', because: [], ...attribution };
}

describe('the table of killers', () => {
  it('has a family, a proof and an advice for each', () => {
    for (const killer of KILLERS) {
      const { family, proof, advice } = rowOf(killer);
      expect(Object.keys(FAMILIES), killer).toContain(family);
      for (const text of [proof, advice]) expect(text, killer).toMatch(/^\S.*[^.\s]$/);
      // Its proof is a field of a Markdown table.
      expect(proof, killer).not.toMatch(/[|\n]/);
    }
  });

  it('has the ways of all killers, each once', () => {
    expect(new Set(HOWS).size).toBe(HOWS.length);
    expect(new Set(KILLERS.flatMap(howsOf))).toEqual(new Set(HOWS));
    expect(howsOf('spec-change')).toEqual(['definition-changed', 'resized', 'static-pod-removed']);
    expect(howsOf('self-exit')).toEqual([]);
    expect(findHow('memcg-oom', 'sysrq')).toBeUndefined();
  });

  it('knows whose deed an OOM kill is, and whom the kubelet was asked to stop', () => {
    expect(KILLERS.filter(isOomKiller)).toEqual(['memcg-oom', 'global-oom', 'container-init-oom']);
    expect(KILLERS.filter(isRequested)).toEqual([
      'kubelet-eviction',
      'liveness-probe',
      'api-deletion',
      'preemption',
      'deadline',
      'node-shutdown',
      'spec-change',
      'pod-lifecycle',
    ]);
    expect(KILLERS.filter((killer) => verbOf(killer) === 'ended')).toEqual([
      'external-signal',
      'self-exit',
      'self-signal',
      'none',
      'unknown',
    ]);
  });
});

describe('advice', () => {
  it('of an OOM kill fits the level whose limit was hit', () => {
    expect(adviseOn(named({ level: 'pod' }))).toMatch(/^raise limits\.memory/);
    expect(adviseOn(named({ level: 'qos' }))).toContain('lower kubeReserved or systemReserved');
    expect(adviseOn(named({ level: 'node' }))).toContain('give that container more memory');
    expect(adviseOn(named({ killer: 'container-init-oom', level: 'qos' }))).toContain('systemReserved');
    expect(adviseOn(named({ killer: 'global-oom', level: 'node' }))).toContain(
      'give every pod a memory limit',
    );
  });

  it('names where the use can be read only while it is not printed', () => {
    expect(adviseOn(named({}))).toContain('memory.peak');
    expect(adviseOn(named({ figures: { peakBytes: 1, because: [] } }))).not.toContain('memory.peak');
  });

  it('fits the way, and a death that Kubernetes does not show', () => {
    expect(adviseOn(named({ killer: 'global-oom', how: 'sysrq' }))).toContain('SysRq f');
    expect(adviseOn(named({ killer: 'spec-change', how: 'static-pod-removed' }))).toContain('static pod');
    const hidden = { process: 'child', how: 'single-process' } as const;
    expect(adviseOn(named(hidden))).toMatch(/^raise limits\.memory; Kubernetes does not show this death/);
    expect(adviseOn(named({ ...hidden, level: 'qos' }))).toMatch(/^all pods.*; Kubernetes does not show/);
  });

  it('about an unknown killer points at what would decide it, when that is known', () => {
    const open = [{ what: 'a signal', why: 'no trace', wanted: 'the witness' }];
    expect(adviseOn(named({ killer: 'unknown' }))).toContain('what the note says');
    expect(adviseOn(named({ killer: 'unknown', open }))).toContain('what would decide it');
  });
});

describe('an expected outcome', () => {
  it('is said in one order, whatever the order of its fields, and with fields of another version', () => {
    const outcome = {
      then: 'next-job-starts',
      exitCode: [137, 143],
      how: ['group-kill'],
      killer: 'memcg-oom',
      victim: undefined,
      mood: { of: 'the node' },
    };
    expect(describeOutcome(outcome)).toBe(
      'memcg-oom, by group-kill, exit code 137 or 143, then the next Job starts, mood {"of":"the node"}',
    );
  });

  it('names other ends that are as good, in every form', () => {
    const outcome = {
      killer: 'none' as const,
      survivesSeconds: 30,
      or: [{ killer: 'runtime-lost' as const, how: ['runtime-restarted' as const] }],
    };
    expect(describeOutcome(outcome)).toBe('none, alive for 30 s, or runtime-lost by runtime-restarted');
    expect(describeCause(outcome)).toBe('none, or runtime-lost (runtime-restarted)');
    expect(describeExpectedEnd(outcome, 'web')).toBe(
      'container "web" alive for 30 s, or ended by runtime-lost (runtime-restarted)',
    );
  });

  it('is a sentence about its container', () => {
    const killed = { killer: 'memcg-oom' as const, level: ['pod' as const], withinSeconds: 60 };
    expect(describeExpectedEnd(killed, 'eater')).toBe(
      'container "eater" killed by memcg-oom at pod level within 60 s',
    );
    expect(describeExpectedEnd({ killer: 'self-exit' }, 'web')).toBe('container "web" ended by self-exit');
  });
});
