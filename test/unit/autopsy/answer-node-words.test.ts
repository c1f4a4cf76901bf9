import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { ID, OOM, podOf, readTexts, UID } from '../evidence/bundle/read-texts.ts';
import { readKubeletEntry } from '../../../lab/evidence/kubelet.ts';

/** Words of kubelets before 1.21, and logs of a node as other tools print them. */

const POD = podOf('Error');

async function killerOf(log: string, more: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const files = { 'pod.yaml': POD, 'node.log': log, ...more };
  const [death] = answer(await readTexts(files), { pod: 'default/eater' }).deaths;
  return [death?.attribution.killer, death?.attribution.confidence];
}

const HEAD = 'I0608 15:36:12.678326    1517 kuberuntime_container.go:581] ';
const SHORT_ID = '9a4c58c575f7656066711faf414e1e4834d9d5013d19656279f36b57f2cf4029';
const about = (message: string): unknown => {
  const said = readKubeletEntry({ at: 1, line: 1, by: 'kubelet', message }, 'kubelet.log');
  return said && [said.about, said.containerId];
};

describe('what kubelets before 1.21 say of a stop', () => {
  it.each([
    ['of 1.18', `${HEAD}Killing container "docker://${SHORT_ID}" with 30 second grace period`],
    ['of 1.20', `${HEAD}Killing container "docker://${SHORT_ID}" with a 30 second grace period`],
    ['of 1.4', `${HEAD}Killing container "${SHORT_ID} web default/web-0" with 30 second grace period`],
    [
      'of an eviction',
      `${HEAD}Killing container {"docker" "${SHORT_ID}"}, but using 0 second grace period override`,
    ],
    [
      'of one that is not to be',
      `${HEAD}Killing unwanted container "web"(id={"docker" "${SHORT_ID}"}) for pod "web-0_default(${UID})"`,
    ],
    ['without the head', `Killing container "containerd://${SHORT_ID}" with 30 second grace period`],
  ])('%s', (_what, message) => {
    expect(about(message)).toEqual(['killing-container', SHORT_ID]);
  });

  it('is no word of the kubelet where a probe printed it', () => {
    const printed = `Killing container "docker://${SHORT_ID}" with 30 second grace period`;
    expect(about(`${HEAD}Readiness probe for "web-0_default(${UID}):web" failed (failure): ${printed}`)).toBe(
      undefined,
    );
  });
});

describe('logs of a node as other tools print them', () => {
  const journal = OOM.map((text) => `Nov 20 21:53:59 node-1 kernel: ${text}\n`);
  const seconds = (texts: readonly string[]): string =>
    texts.map((text, index) => `[  252.04497${index}] node-1 ${text}\n`).join('');

  it('stern, with and without times, in colours', async () => {
    const plain = journal.map((line) => `node-logger-x7k2p logger ${line}`).join('');
    const stamped = journal
      .map(
        (line) =>
          `\u001b[32mnode-logger-x7k2p\u001b[0m \u001b[33mlogger\u001b[0m 2026-11-20T21:53:59.3Z ${line}`,
      )
      .join('');
    const spaced = journal.map((line) => `kube-system node-logger-x7k2p logger ${line}`).join('');
    for (const log of [plain, stamped, spaced]) expect(await killerOf(log)).toEqual(['memcg-oom', 'likely']);
  });

  it('stern of a program that writes klog is no kubelet', async () => {
    const line = `${HEAD}Killing container "containerd://${ID}" with 30 second grace period\n`;
    const { observations } = await readTexts({
      'pod.yaml': POD,
      'a.log': `operator-x7k2p main ${line}`.repeat(3),
    });
    expect(observations.some(({ kind }) => kind === 'kubelet-said')).toBe(false);
  });

  it('short-monotonic names the writer: a program that prints lines of the kernel is not the kernel', async () => {
    const killOf = async (by: string): Promise<number> => {
      const text = seconds(OOM.map((line) => `${by}: ${line}`));
      const { observations } = await readTexts({ 'journal.txt': text });
      return observations.filter(({ kind }) => kind === 'kernel-killed').length;
    };
    expect(await killOf('kernel')).toBe(1);
    expect(await killOf('app[123]')).toBe(0);
  });

  it.each([
    ['short-monotonic', (_: number) => ''],
    ['short-delta', (index: number) => (index === 0 ? '                ' : ' <    0.000001 >')],
  ])('%s has the kill and its writer', async (_, after) => {
    const log = (by: string): string =>
      OOM.map((line, index) => `[  252.04497${index}${after(index)}] node-1 ${by}: ${line}\n`).join('');
    const byKernel = await readTexts({ 'journal.txt': log('kernel') });
    expect(byKernel.sources.map(({ format }) => format)).toEqual(['journalctl']);
    expect(byKernel.observations.filter(({ kind }) => kind === 'kernel-killed')).toHaveLength(1);
    const byProgram = await readTexts({ 'journal.txt': log('app[123]') });
    expect(byProgram.observations.filter(({ kind }) => kind === 'kernel-killed')).toHaveLength(0);
  });

  it('short-monotonic is not dmesg, whose own texts have colons', async () => {
    const dmesg = ['usb 1-1: new device', 'systemd[1]: Started x', ...OOM]
      .map((text, index) => `[  252.04497${index}] ${text}\n`)
      .join('');
    const read = await readTexts({ 'dmesg.txt': dmesg });
    expect(read.sources.map(({ format }) => format)).toEqual(['dmesg']);
    expect(read.observations.filter(({ kind }) => kind === 'kernel-killed')).toHaveLength(1);
  });
});
