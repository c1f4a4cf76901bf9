import { describe, expect, it } from 'vitest';
import { answer } from '../../../../lab/autopsy/answer.ts';
import { isSaid, OOM, podOf, readTexts } from '../bundle/read-texts.ts';

const EARLYOOM = `earlyoom 1.7
mem total: 1978 MiB, swap total:    0 MiB
mem avail:   147 of  1978 MiB ( 7.46%), swap free:    0 of    0 MiB ( 0.00%)
low memory! at or below SIGTERM limits: mem 10.00%, swap 10.00%
sending SIGTERM to process 1735 uid 0 "eater": badness 906, VmRSS 127 MiB
process 1735 exited after 0.1 seconds
`;
const entry = (message: string): string =>
  JSON.stringify({
    __REALTIME_TIMESTAMP: '1795211639005000',
    _TRANSPORT: 'kernel',
    SYSLOG_FACILITY: '0',
    MESSAGE: message,
  });
const AT = 1_795_211_639_005;
const ALL = ['kernel-oom-context', 'kernel-killed'];

describe('lines that are read', () => {
  it.each<[string, string, string, readonly string[], number | undefined]>([
    ['journalctl -k -o cat', `${OOM.join('\n')}\n`, 'journalctl -k -o cat', ALL, undefined],
    [
      'the same among other words of the kernel',
      `usb 1-1: new device\n${OOM.join('\n')}\nMemory: usage 1kB\neth0: link up\n`,
      'journalctl -k -o cat',
      ALL,
      undefined,
    ],
    [
      'the same in a question',
      `Hi, I found this:\n\n${OOM.join('\n')}\n\nWho did it?\n`,
      'journalctl -k -o cat',
      ALL,
      undefined,
    ],
    ['earlyoom on its own', EARLYOOM, 'earlyoom', ['system-said'], undefined],
    [
      'journalctl -o json-seq',
      OOM.map((text) => `\u001e${entry(text)}\n`).join(''),
      'journalctl -o json',
      ALL,
      AT,
    ],
    [
      'journalctl -o json-sse',
      OOM.map((text) => `data: ${entry(text)}\n\n`).join(''),
      'journalctl -o json',
      ALL,
      AT,
    ],
    [
      'journalctl -o json-pretty',
      OOM.map((text) => `${JSON.stringify(JSON.parse(entry(text)), null, '\t')}\n`).join(''),
      'journalctl -o json',
      ALL,
      AT,
    ],
    [
      'vmware.log of ESXi 7',
      OOM.map((text) => `2026-11-20T21:53:59.005Z In(05) vcpu-0 - Guest: [  124.005000] ${text}\n`).join(''),
      'dmesg',
      ALL,
      undefined,
    ],
    [
      'vmware.log of ESXi 6',
      OOM.map((text) => `2026-11-20T21:53:59.005Z| vcpu-0| I125: Guest: [  124.005000] ${text}\n`).join(''),
      'dmesg',
      ALL,
      undefined,
    ],
  ])('%s', async (_what, text, format, kinds, at) => {
    const bundle = await readTexts({ 'paste.txt': text });
    expect(bundle.unknown).toEqual([]);
    expect(bundle.sources.map((source) => source.format)).toEqual([format]);
    const said = bundle.observations.filter(isSaid);
    expect(said.map(({ kind }) => kind)).toEqual(kinds);
    expect(said.map((one) => one.at)).toEqual(kinds.map(() => at));
  });

  it.each([
    ['the kernel', OOM.join('\n'), 'memcg-oom', 'likely'],
    // A pid without a time may have been anybody's.
    ['earlyoom', EARLYOOM, 'unknown', 'none'],
  ])('without a time, of %s, prove nothing', async (_what, text, killer, confidence) => {
    const bundle = await readTexts({ 'pod.yaml': podOf('OOMKilled'), 'paste.txt': text });
    const [death] = answer(bundle, { pod: 'default/eater' }).deaths;
    expect(death?.attribution).toMatchObject({ killer, confidence });
  });

  it.each([
    [
      'prose about the OOM killer',
      'The kernel says Memory cgroup out of memory: Killed process 12 when it does.\n',
    ],
    ['a guide to earlyoom', 'earlyoom ends processes by sending SIGTERM to process after process.\n'],
    ['a config map', 'data: {"FOO":"bar"}\n'],
    [
      'a log of a machine without a word of its guest',
      '2026-11-20T21:53:59.005Z In(05) vmx - Log for VMware ESX pid=1\n',
    ],
  ])('are not found in %s', async (_what, text) => {
    const bundle = await readTexts({ 'notes.txt': text });
    expect(bundle.observations.filter(isSaid)).toEqual([]);
    expect(bundle.unknown).toEqual(['notes.txt']);
  });
});

describe('a describe with the line ends of Windows', () => {
  it('says the same', async () => {
    const described = `Name:             eater
Namespace:        default
Node:             node-1/192.0.2.1
Status:           Running
Containers:
  eater:
    Container ID:   containerd://${'1'.repeat(64)}
    State:          Running
      Started:      Fri, 20 Nov 2026 21:54:01 +0000
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Fri, 20 Nov 2026 21:53:01 +0000
      Finished:     Fri, 20 Nov 2026 21:53:59 +0000
    Restart Count:  1
Events:
  Type     Reason   Age   From     Message
  ----     ------   ----  ----     -------
  Warning  BackOff  5s    kubelet  Back-off restarting failed container eater in pod eater
`;
    const read = async (text: string) => {
      const { observations } = await readTexts({ 'describe.txt': text });
      return observations.filter(isSaid).map(({ kind, at, ref }) => [kind, at, ref.text]);
    };
    const plain = await read(described);
    expect(plain.length).toBeGreaterThan(0);
    expect(await read(described.replaceAll('\n', '\r\n'))).toEqual(plain);
  });
});
