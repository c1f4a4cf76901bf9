import { describe, expect, it } from 'vitest';
import { kubeletOf, readMetrics } from '../../../../lab/autopsy/live/read-metrics.ts';
import type { ForeignCluster } from '../../../../lab/drivers/kubernetes/foreign-cluster.ts';
import { HostError } from '../../../../lab/model/errors/errors.ts';

const sample = (namespace: string, pod: string): string =>
  `container_oom_events_total{container="",id="/kubepods/pod1",image="",name="",namespace="${namespace}",pod="${pod}"} 2`;
const METRICS = [
  '# TYPE container_oom_events_total counter',
  'container_memory_rss{container="",id="/",namespace="default",pod="web"} 5',
  sample('default', 'web'),
  sample('default', 'web-1'),
  sample('other', 'web'),
].join('\n');
const FORBIDDEN = `{"kind":"Status","message":"nodes \\"node-1\\" is forbidden: User \\"dev\\" cannot get resource \\"nodes/proxy\\""}`;

describe('the metrics of a kubelet', () => {
  it.each([
    ['are kept as far as they count the pod', 200, METRICS, `${sample('default', 'web')}\n`],
    ['that may not be read', 403, FORBIDDEN, /^HTTP 403: nodes .*node-1.* is forbidden/],
    ['that are not there', 404, '404 page not found', /^HTTP 404$/],
    [
      'of a node that is down',
      503,
      '{"message":"error trying to reach service: dial tcp"}',
      /^HTTP 503: error/,
    ],
    ['without the pod', 200, METRICS.replaceAll('web', 'job'), /only of pods that are still there/],
    ['that are a page of a proxy', 200, '<html>', /only of pods that are still there/],
  ])('%s', async (_what, status, text, expected) => {
    const asked: string[] = [];
    const get = async (path: string) => {
      asked.push(path);
      return { status, text };
    };
    const { files, missing } = await readMetrics(kubeletOf({ get } as ForeignCluster, 'node-1'), {
      namespace: 'default',
      pod: 'web',
    });
    expect(asked).toEqual(['/api/v1/nodes/node-1/proxy/metrics/cadvisor']);
    if (typeof expected === 'string')
      expect([files, missing]).toEqual([[{ path: 'metrics/cadvisor', text: expected }], []]);
    else
      expect([files, missing]).toEqual([
        [],
        [{ path: 'metrics/cadvisor', why: expect.stringMatching(expected) as string }],
      ]);
  });

  it('that never come hinder nothing else', async () => {
    const get = () =>
      Promise.reject(
        new HostError('LAB_API', 'the API does not answer', { lastSeen: 'timed out', tryNext: 'x' }),
      );
    const { missing } = await readMetrics(kubeletOf({ get } as unknown as ForeignCluster, 'node-1'), {
      namespace: 'default',
      pod: 'web',
    });
    expect(missing).toEqual([{ path: 'metrics/cadvisor', why: 'timed out' }]);
  });
});
