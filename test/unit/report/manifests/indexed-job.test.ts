import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ShardPlan } from '../../../../lab/model/saved/shard-plan.ts';
import { renderIndexedJob } from '../../../../lab/report/manifests/indexed-job.ts';
import { createShardPlan as plan } from './made-shard-plan.ts';

interface Job {
  spec: {
    completions: number;
    template: {
      spec: {
        containers: { args: string[]; resources: { limits: Record<string, string> } }[];
        volumes: { persistentVolumeClaim?: { claimName: string } }[];
      };
    };
  };
}

describe('the Indexed Job of a plan', () => {
  it.each([
    ['run', undefined],
    ['judge', 'evidence'],
  ] as const)(
    'of a plan to %s has an index for each shard, and names every claim that it needs',
    (work, evidence) => {
      const text = renderIndexedJob({ plan: plan(work), file: 'plan.json', evidence });
      const { spec } = parse(text) as Job;
      expect(spec.completions).toBe(3);
      const claims = spec.template.spec.volumes.flatMap(
        ({ persistentVolumeClaim: claim }) => claim?.claimName ?? [],
      );
      expect(claims).toHaveLength(work === 'judge' ? 2 : 1);
      const comments = text.split('\n').filter((line) => line.startsWith('#'));
      expect(claims.filter((claim) => !comments.join('\n').includes(`"${claim}"`))).toEqual([]);
      const [container] = spec.template.spec.containers;
      expect(container?.args.join(' ').includes('--evidence /evidence')).toBe(work === 'judge');
    },
  );

  it('asks for /dev/kvm only where the plan counts on it', () => {
    const limitsOf = (host: ShardPlan['host']): Record<string, string> | undefined =>
      (parse(renderIndexedJob({ plan: plan('run', { host }), file: 'plan.json' })) as Job).spec.template.spec
        .containers[0]?.resources.limits;
    expect(limitsOf({ kvm: true })).toHaveProperty(['devices.kubevirt.io/kvm'], '1');
    expect(limitsOf({})).not.toHaveProperty(['devices.kubevirt.io/kvm']);
  });
});
