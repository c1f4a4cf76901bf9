import { describe, expect, it } from 'vitest';
import { ID, ofKind, readTexts, UID } from '../evidence/bundle/read-texts.ts';

/** What a program prints about itself is never the kubelet's word, whatever it says. */

const head = (source: string): string => `I0504 10:05:01.123456       1 ${source}] `;
const KILLING = `"Killing container with a grace period" pod="default/web-0" podUID="${UID}" containerName="web" containerID="containerd://${ID}" gracePeriod=30\n`;
const PROBE =
  '"Container failed liveness probe, will be restarted" pod="default/web-0" containerName="web"\n';
const asJson = (caller: string): string =>
  `${JSON.stringify({ ts: 1683194701123.4, caller, msg: 'Killing container with a grace period', v: 2, pod: { name: 'web-0', namespace: 'default' } })}\n`;

const thread = (log: string): string =>
  `This is what our operator says:\n\n\`\`\`\n$ kubectl logs --prefix -l app=operator\n${log}\`\`\`\n`;

async function wordsOf(file: string, text: string): Promise<number> {
  return ofKind(await readTexts({ [file]: text }), 'kubelet-said').length;
}

describe('a log of klog whose writer nobody names', () => {
  it.each([
    ['of a controller', head('controller.go:98') + KILLING + head('controller.go:99') + PROBE],
    ['of a controller, as JSON', asJson('manager/controller.go:98').repeat(3)],
    ['of kubectl logs --prefix', thread(`[pod/operator-x7k2p/main] ${head('kubelet.go:98')}${KILLING}`)],
    ['of stern', `operator-x7k2p main ${head('kuberuntime_container.go:98')}${KILLING}`.repeat(3)],
  ])('is no word of the kubelet: %s', async (_what, text) => {
    expect(await wordsOf('app.log', text)).toBe(0);
  });

  it.each([
    ['by its source', head('kuberuntime_container.go:709') + KILLING],
    ['by its source, as JSON', asJson('kuberuntime/kuberuntime_container.go:728')],
    ['by what is left of its header', `kuberuntime_container.go:709] ${KILLING}`],
  ])('is known for the kubelet %s', async (_what, text) => {
    expect(await wordsOf('node.txt', text)).toBe(1);
  });

  it('is the kubelet of a file that has its name', async () => {
    expect(await wordsOf('kubelet.log', head('controller.go:98') + KILLING)).toBe(1);
  });
});
