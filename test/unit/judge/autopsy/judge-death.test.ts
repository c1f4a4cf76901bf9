import { describe, expect, it } from 'vitest';
import { judgeDeath } from '../../../../lab/judge/autopsy/judge-death.ts';
import { readTexts } from '../../evidence/bundle/read-texts.ts';

/** A pod as somebody shortened it: two ends of one container, and no ids. */
const SHORTENED = `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: default
  uid: 11fb4b18-3dc9-4db2-a842-e464f797527a
  deletionTimestamp: '2025-01-01T00:11:00Z'
  deletionGracePeriodSeconds: 30
spec: { nodeName: node-1, containers: [{ name: web, image: web }] }
status:
  phase: Running
  containerStatuses:
    - name: web
      restartCount: 1
      lastState: { terminated: { exitCode: 137, reason: OOMKilled, startedAt: '2025-01-01T00:00:00Z', finishedAt: '2025-01-01T00:05:31Z' } }
      state: { terminated: { exitCode: 143, reason: Error, startedAt: '2025-01-01T00:05:32Z', finishedAt: '2025-01-01T00:10:33Z' } }
`;

describe('a death without an id', () => {
  it('is the newest end of its container, and what was asked for before that is not of another time', async () => {
    const { observations } = await readTexts({ 'pod.yaml': SHORTENED });
    const answer = judgeDeath(observations, { pod: 'web', container: 'web' });
    if (answer.kind !== 'answer') throw new Error(answer.says);
    const { excluded = [], open = [] } = answer.attribution;
    expect(excluded.map(({ what }) => what)).not.toContain('a deletion of the pod');
    expect(open.find(({ what }) => what === 'a deletion of the pod')?.why).toBe(
      'it was asked for before the end, and nobody saw what ended the first process',
    );
  });
});
