import { describe, expect, it } from 'vitest';
import { lostOf } from '../../../../../lab/evidence/lines.ts';
import type { Observation } from '../../../../../lab/model/evidence/observation.ts';
import {
  at,
  event,
  INSIDE,
  judge,
  kubelet,
  KILLED,
  OUTSIDE,
  pod,
  POD,
  QOS,
  story,
  values,
  without,
} from '../../mismatch-story.ts';

describe('a pod whose cgroup lost a controller', () => {
  it('was killed by the kubelet that missed it, and each sign is in the proof', () => {
    const { attribution, verdict } = judge(story());
    expect(attribution).toMatchObject({ killer: 'kubelet-cgroup-missing', confidence: 'proven' });
    expect(verdict).toBe('passed');
    const proof = attribution.because.map(({ text }) => text).join('\n');
    for (const sign of ['Killing container', 'cpu io memory hugetlb pids', OUTSIDE, 'No ready sandbox']) {
      expect(proof).toContain(sign);
    }
  });

  it('may show the loss in cgroup.controllers of its own slice', () => {
    const parts = {
      ...without('had', 'gone'),
      had: values(1.5, POD, 'cgroup.controllers', 'cpuset cpu io memory pids'),
      gone: values(61, POD, 'cgroup.controllers', 'cpu io memory pids'),
    };
    expect(judge(parts).attribution.killer).toBe('kubelet-cgroup-missing');
  });

  it.each([
    ['the controller that went', ['gone']],
    ['the controller that was there', ['had', 'gone']],
    ['the stop', ['line', 'killing']],
    ['the new sandbox', ['newSandbox', 'sandboxChanged']],
    ['the process and its cgroup', ['process']],
  ])('is of an unknown killer without %s', (_, names) => {
    const { attribution, verdict } = judge(without(...names));
    expect(attribution).toMatchObject({ killer: 'unknown', confidence: 'none' });
    expect(verdict).toBe('inconclusive');
  });

  it('needs the line of the kubelet or its event, not both', () => {
    // Its log says why it stops a container, at the verbosity that it was heard at: then the event adds nothing.
    expect(judge(without('killing')).attribution).toMatchObject({
      killer: 'kubelet-cgroup-missing',
      confidence: 'proven',
    });
    expect(judge(without('line')).attribution).toMatchObject({
      killer: 'kubelet-cgroup-missing',
      confidence: 'likely',
    });
  });

  it('lies outside of its slice; one that lies inside was stopped by the kubelet for an unknown reason', () => {
    expect(judge(story(INSIDE)).attribution.killer).toBe('unknown');
  });

  it('is not blamed on a controller that was back before the kubelet looked', () => {
    const parts = {
      ...story(),
      back: values(100, QOS, 'cgroup.subtree_control', 'cpuset cpu io memory hugetlb pids'),
    };
    expect(judge(parts).attribution.killer).toBe('unknown');
  });

  it('is still blamed on it when another pod brought the controller back in the moment of the kill', () => {
    const parts = {
      ...story(),
      back: values(KILLED - 0.2, QOS, 'cgroup.subtree_control', 'cpuset cpu io memory hugetlb pids'),
    };
    expect(judge(parts).attribution.killer).toBe('kubelet-cgroup-missing');
  });

  it('is not blamed on a controller that went after the kill', () => {
    const gone = values(KILLED + 5, QOS, 'cgroup.subtree_control', 'cpu memory pids');
    expect(judge({ ...without('gone'), gone }).attribution.killer).toBe('unknown');
  });

  it('whose kernel log is lost is no verdict: it might have been out of memory', () => {
    const lost = lostOf('kmsg', 'cut short', 'node-1/kmsg.log');
    const { attribution, verdict } = judge({ ...story(), lost });
    expect(attribution).toMatchObject({ killer: 'kubelet-cgroup-missing', confidence: 'likely' });
    expect(verdict).toBe('inconclusive');
  });
});

describe('what looks like it and is something else', () => {
  it('is a failed probe when the kubelet says so', () => {
    const parts = {
      ...story(),
      killing: event(KILLED, 'Killing', 'Container bystander failed liveness probe, will be restarted'),
    };
    expect(judge(parts).attribution.killer).toBe('liveness-probe');
  });

  it('is a deletion when the pod had been asked to go', () => {
    const parts = { ...story(), asked: pod(KILLED - 1, { deletionAt: at(KILLED - 1) }, false) };
    expect(judge(parts).attribution.killer).not.toBe('kubelet-cgroup-missing');
  });

  it('is a dead sandbox when the kubelet missed that first', () => {
    const newSandbox = kubelet(
      KILLED - 0.5,
      'sandbox-changed',
      '"No ready sandbox for pod can be found. Need to start a new one" pod="default/bystander"',
    );
    expect(judge({ ...story(), newSandbox }).attribution.killer).not.toBe('kubelet-cgroup-missing');
  });

  it('is a signal from the node when that came from a shell', () => {
    const parts = story();
    const term = { ...parts.term, senderComm: 'bash', senderCgroup: '/user.slice' } as Observation;
    expect(judge({ ...parts, term }).attribution.killer).toBe('external-signal');
  });
});
