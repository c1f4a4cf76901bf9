import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import type { Autopsy } from '../../../lab/model/saved/autopsy.ts';
import { ID, ofKind, OOM, readTexts, UID } from '../evidence/bundle/read-texts.ts';

/** Events of Docker and Podman: what they said when it happened, which their records of a container do not keep. */

const AT = '2026-11-20T21:53:59';
const LABELS = `io.kubernetes.container.name=eater, io.kubernetes.docker.type=container, io.kubernetes.pod.name=eater-0, io.kubernetes.pod.namespace=web, io.kubernetes.pod.uid=${UID}, name=k8s_eater_eater-0_web_${UID}_0`;

const text = (action: string, more = ''): string =>
  `${AT}.011072877+00:00 container ${action} ${ID} (${more}${LABELS})\n`;
const json = (action: string, attributes: Readonly<Record<string, string>>): string =>
  `${JSON.stringify({
    status: action,
    id: ID,
    Type: 'container',
    Action: action,
    Actor: { ID, Attributes: { name: 'web', ...attributes } },
    time: Date.parse(`${AT}Z`) / 1000,
    timeNano: Date.parse(`${AT}Z`) * 1_000_000,
  })}\n`;

const ask = async (files: Readonly<Record<string, string>>): Promise<Autopsy> =>
  answer(await readTexts(files), {});

describe('events of Docker', () => {
  it('say that and how a container ended, of which pod, and what the kernel’s log must tell', async () => {
    const events = text('oom') + text('die', 'exitCode=137, ');
    const alone = await ask({ 'events.txt': events });
    expect(alone.deaths).toMatchObject([
      { pod: 'web/eater-0', container: 'eater', attribution: { killer: 'unknown' } },
    ]);
    const kernel = OOM.map((line) => `${AT},000000+00:00 ${line}\n`).join('');
    const both = await ask({ 'events.txt': events, dmesg: kernel });
    expect(both.deaths).toMatchObject([
      { pod: 'web/eater-0', container: 'eater', attribution: { killer: 'memcg-oom', confidence: 'likely' } },
    ]);
    expect(both.deaths[0]?.claims).toContainEqual(
      expect.objectContaining({ layer: 'runtime', agrees: true }),
    );
  });

  it.each([
    ['text', text('die', 'com.example.a=x, exitCode=0, exitCode=137, ')],
    ['JSON', json('die', { 'com.example.a': 'x, exitCode=0', exitCode: '137' })],
  ])('as %s take no exit code out of the value of a label', async (_, events) => {
    const read = await readTexts({ events });
    expect(ofKind(read, 'runtime-exit').map(({ exitStatus }) => exitStatus)).toEqual([undefined]);
  });

  it('as JSON: somebody asked for a signal, and nothing tells who', async () => {
    const { deaths } = await ask({
      'events.json': json('kill', { signal: '9' }) + json('die', { exitCode: '137' }),
    });
    expect(deaths).toMatchObject([{ container: 'web', attribution: { killer: 'unknown' } }]);
    expect(deaths[0]?.note).toMatch(/the runtime stopped the container; who asked for it is not known/);
  });

  it('of a sandbox are no end of a container', async () => {
    const sandbox = text('die', 'exitCode=137, ').replace('docker.type=container', 'docker.type=podsandbox');
    const read = await readTexts({ 'events.txt': sandbox });
    expect(ofKind(read, 'runtime-exit')).toEqual([]);
    expect(ofKind(read, 'sandbox-created')).toMatchObject([{ sandboxId: ID, podUid: UID }]);
  });

  it('are read as Podman writes them', async () => {
    const podman = `2026-11-20 21:53:59.5 +0000 UTC container died ${ID} (image=docker.io/library/eater:1, name=greedy)\n${JSON.stringify({ ID, Name: 'greedy', Status: 'died', Time: `${AT}Z`, Type: 'container', ContainerExitCode: 137 })}\n`;
    const [other, one] = ofKind(await readTexts({ 'events.txt': podman }), 'runtime-exit');
    expect(one).toMatchObject({ containerId: ID, at: Date.parse(`${AT}.5Z`), exitStatus: undefined });
    expect(other).toMatchObject({ containerId: ID, exitStatus: 137 });
  });
});
