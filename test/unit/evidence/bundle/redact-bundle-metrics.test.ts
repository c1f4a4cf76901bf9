import { describe, expect, it } from 'vitest';
import { redactEvidence } from '../../../../lab/evidence/bundle/redact-bundle.ts';

const sample = (name: string, pod: string): string =>
  `${name}{container="x",id="/kubepods/pod1",image="registry.example/secret",namespace="default",pod="${pod}"} 1`;

describe('metrics of a kubelet that are saved', () => {
  it('have what is counted of the pods that died, and nothing of another', () => {
    const own = sample('container_oom_events_total', 'web');
    const text = [
      '# TYPE container_oom_events_total counter',
      sample('container_memory_rss', 'web'),
      own,
      sample('container_oom_events_total', 'other'),
    ].join('\n');
    const window = {
      keeps: () => true,
      isVictim: ({ namespace, name }: { readonly namespace?: unknown; readonly name?: unknown }) =>
        namespace === 'default' && name === 'web',
    };
    const saved = redactEvidence(text, 'metrics', () => undefined, window);
    expect(saved?.split('\n')).toEqual(['# left out', '# left out', own, '# left out']);
  });
});
