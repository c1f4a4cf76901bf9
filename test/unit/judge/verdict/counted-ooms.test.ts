import { describe, expect, it } from 'vitest';
import { answer } from '../../../../lab/autopsy/answer.ts';
import { judgeDeath } from '../../../../lab/judge/autopsy/judge-death.ts';
import { ID, podOf, readTexts, UID } from '../../evidence/bundle/read-texts.ts';

const POD = `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`;
const OTHER_POD = POD.replace('11fb4b18', '99fb4b18');

/** A sample as kubelet 1.34 prints it. */
function sample(cgroup: string, container: string, count: number | string, pod = 'eater'): string {
  const name = /([0-9a-f]{64})/.exec(cgroup)?.[1] ?? '';
  return `container_oom_events_total{container="${container}",id="${cgroup}",image="",name="${name}",namespace="default",pod="${pod}"} ${count} 1764432000123`;
}

const HEAD = [
  '# HELP cadvisor_version_info A metric with a constant 1 value.',
  '# TYPE cadvisor_version_info gauge',
  'cadvisor_version_info{cadvisorRevision="",cadvisorVersion="",dockerVersion="",kernelVersion="6.1.0",osVersion=""} 1',
  '# TYPE container_oom_events_total counter',
];
const scope = (id: string): string => `${POD}/cri-containerd-${id}.scope`;

const metricsOf = (...samples: readonly string[]): string => [...HEAD, ...samples, ''].join('\n');

describe('what the metrics of a kubelet count', () => {
  it.each([
    [
      'of the container that ended, while they last',
      [sample(scope(ID), 'eater', 1)],
      'its metrics count 1 OOM event for the limit of this container',
    ],
    [
      'of the container that followed it',
      [sample(scope('1'.repeat(64)), 'eater', 0)],
      `its metrics count 0 OOM events for that of eater ${'1'.repeat(12)}, another container`,
    ],
    ['of the pod', [sample(POD, '', 3)], 'its metrics count 3 OOM events for the limit of the pod'],
    ['of a later pod of that name', [sample(OTHER_POD, '', 3)], undefined],
    ['of another pod', [sample(OTHER_POD, '', 3, 'other')], undefined],
    ['of something that is no number', [sample(POD, '', 'NaN')], undefined],
  ])('%s is a claim of the kubelet, and never names who did it', async (_what, samples, says) => {
    const bundle = await readTexts({ 'pod.yaml': podOf('OOMKilled'), metrics: metricsOf(...samples) });
    const [death] = answer(bundle, { pod: 'default/eater', container: 'eater' }).deaths;
    const claim = death?.claims.find(({ layer }) => layer === 'kubelet');
    if (says === undefined) expect(claim?.says).not.toContain('metrics');
    else expect(claim?.says).toContain(says);
    expect(claim?.agrees).toBe(null);
    expect(death?.attribution).toMatchObject({ killer: 'unknown', confidence: 'none' });
  });

  it('do not make an input surer than the API does', async () => {
    const { observations } = await readTexts({
      'pod.yaml': podOf('OOMKilled'),
      metrics: metricsOf(sample(scope(ID), 'eater', 1), sample(POD, '', 1)),
    });
    expect(observations.map(({ kind }) => kind)).toContain('oom-counted');
    expect(judgeDeath(observations, { pod: 'default/eater' })).toMatchObject({
      kind: 'answer',
      profile: 'api',
    });
  });
});
