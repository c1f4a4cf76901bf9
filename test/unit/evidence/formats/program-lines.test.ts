import { describe, expect, it } from 'vitest';
import { MAX_LINE_BYTES } from '../../../../lab/evidence/lines.ts';
import { finished, containerd, ID, isSaid, OOM, ofKind, readTexts, UID } from '../bundle/read-texts.ts';

const KLOG = finished('1120 21:53:59.873747');
const STOP = `time="2026-11-20T21:53:58Z" level=info msg="StopContainer for \\"${ID}\\" with timeout 30 (s)"`;

interface Case {
  readonly what: string;
  readonly path?: string;
  readonly text: string;
  readonly kinds: readonly string[];
}

const CASES: readonly Case[] = [
  { what: 'the kubelet, in a file of its own', text: KLOG, kinds: ['kubelet-said'] },
  {
    what: 'the kubelet with --logging-format=json',
    text: JSON.stringify({
      ts: 1795211639873.7,
      caller: 'kuberuntime/kuberuntime_container.go:866',
      msg: 'Killing container with a grace period',
      v: 2,
      pod: { name: 'eater', namespace: 'default' },
      podUID: UID,
      containerID: `containerd://${ID}`,
      gracePeriod: 30,
    }),
    kinds: ['kubelet-said'],
  },
  {
    what: 'the kubelet, without level and time',
    text: `${KLOG.replace(/^.*? (?=generic)/, '... ')}\n`,
    kinds: ['kubelet-said'],
  },
  { what: 'the kubelet, without level', text: KLOG.replace(/^I/, ''), kinds: ['kubelet-said'] },
  {
    what: 'the kubelet, whose cut line quotes words that are not its own',
    text: 'server.go:12] "Probe says" output="Got sys oom event"\nmain.go:12] Got to the end',
    kinds: [],
  },
  {
    what: 'the kubelet, as Elasticsearch has it',
    text: JSON.stringify({
      _source: {
        '@timestamp': '2026-11-20T21:53:59.873Z',
        message: KLOG,
        systemd: { unit: 'kubelet.service' },
        host: { name: 'node-1' },
      },
    }),
    kinds: ['kubelet-said'],
  },
  {
    what: 'containerd, as Loki has it',
    text: JSON.stringify({
      line: containerd('2026-11-20T21:53:58Z'),
      timestamp: '1795211638000000000',
      fields: { unit: 'containerd.service', hostname: 'node-1' },
    }),
    kinds: ['runtime-oom'],
  },
  {
    what: 'the kernel, as CloudWatch has it',
    text: OOM.map((message, index) =>
      JSON.stringify({
        timestamp: 1795211638000 + index,
        message,
        syslog_identifier: 'kernel',
        hostname: 'ip-10',
      }),
    ).join('\n'),
    kinds: ['kernel-oom-context', 'kernel-killed'],
  },
  {
    what: 'a container that prints what the kubelet says',
    text: JSON.stringify({
      time: '2026-11-20T21:53:59Z',
      stream: 'stderr',
      message: KLOG,
      unit: 'kubelet.service',
    }),
    kinds: [],
  },
  {
    what: 'the kubelet, in lines with numbers',
    text: `It says\nthis\n\n     1\t${KLOG}\n     2\t${KLOG}\n`,
    kinds: ['kubelet-said', 'kubelet-said'],
  },
  {
    what: 'the kubelet, as Loki prints it: a time, labels, and the line',
    text: `2026-11-20T21:53:59Z {unit="kubelet.service", job="systemd"} ${KLOG}\n`,
    kinds: ['kubelet-said'],
  },
  { what: 'another program of klog', path: 'kube-scheduler.log', text: KLOG, kinds: [] },
  {
    what: 'containerd, in a file of its own',
    text: containerd('2026-11-20T21:53:58Z'),
    kinds: ['runtime-oom'],
  },
  {
    what: 'containerd with format json',
    text: JSON.stringify({
      level: 'info',
      msg: `TaskOOM event container_id:"${ID}"`,
      time: '2026-11-20T21:53:58.1Z',
    }),
    kinds: ['runtime-oom'],
  },
  {
    what: 'k3s, whose kubelet and containerd write as one unit',
    text: `2026-11-20T21:53:59+0000 n k3s[9]: ${KLOG}\n2026-11-20T21:53:59+0000 n k3s[9]: ${containerd('2026-11-20T21:53:58Z')}`,
    kinds: ['kubelet-said', 'runtime-oom'],
  },
  {
    what: 'CRI-O',
    text: [
      `Created container ${ID}: default/eater/eater`,
      `Started container" PID=12 containerID=${ID} description=default/eater/eater`,
      `Stopping container: ${ID} (timeout: 30s)`,
      `Stopped container ${ID}: default/eater/eater`,
    ]
      .map(
        (message, index) =>
          `time="2026-11-20 21:53:5${index}.5Z" level=info msg="${message}${index === 1 ? '' : '"'} id=1`,
      )
      .map((line, index) => `2026-11-20T21:53:5${index}+0000 n crio[9]: ${line}`)
      .join('\n'),
    kinds: ['runtime-created', 'runtime-gone', 'runtime-start', 'runtime-stop'],
  },
  { what: 'a request to stop', text: STOP, kinds: ['runtime-stop'] },
  {
    what: 'a runtime and the kubelet, without date and host, between other words',
    text: `It stops:\n\ncontainerd[385]: ${STOP}\n\nand then\n\nkubelet[857]: ${KLOG}`,
    kinds: ['kubelet-said', 'runtime-stop'],
  },
  {
    what: 'a program that writes what the runtime would, without date and host',
    text: `myapp[9]: ${STOP}\nmyapp[9]: ${KLOG}`,
    kinds: [],
  },
  {
    what: 'dockerd up to 18.09, whose shim ended with its container',
    text: `Nov 20 21:53:59 n dockerd[9]: time="2026-11-20T21:53:59Z" level=info msg="shim reaped" id=${ID}`,
    kinds: ['runtime-gone'],
  },
  {
    what: 'a program that writes what the kubelet would, under its own name',
    text: `2026-11-20T21:53:59+0000 n myapp[9]: ${KLOG}\n2026-11-20T21:53:59+0000 n myapp[9]: ${OOM[1]}`,
    kinds: [],
  },
  {
    what: 'a program that writes into the kernel log',
    text: `12,1,100,-;${OOM[1]}\n6,2,200,-;x`,
    kinds: [],
  },
  {
    what: 'the same, as dmesg -x prints it',
    text: `user  :warn  : [    0.000100] ${OOM[1]}\nkern  :info  : [    0.000200] x`,
    kinds: [],
  },
  {
    what: 'ctr events',
    text: `2026-11-20 21:53:58.1 +0000 UTC k8s.io /tasks/oom {"container_id":"${ID}"}`,
    kinds: ['runtime-oom'],
  },
  {
    what: 'newer kernels, which print the task as well',
    text: OOM.map((text) => `[  240.100000][ T1735] ${text}`).join('\n'),
    kinds: ['kernel-killed', 'kernel-oom-context'],
  },
];

describe('a log', () => {
  it.each(CASES)('of $what says what its writer can say', async ({ path = 'a.log', text, kinds }) => {
    const { observations } = await readTexts({ [path]: `${text}\n` });
    expect(
      observations
        .filter(isSaid)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual([...kinds].sort());
  });

  it('of several machines is read for each of them', async () => {
    const text = OOM.flatMap((line) =>
      ['a', 'b'].map((host) => `2026-11-20T21:53:59+0000 ${host} kernel: ${line}\n`),
    );
    const found = await readTexts({ 'all.log': text.join('') });
    expect(ofKind(found, 'kernel-killed').map(({ node, context }) => [node, context?.node])).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });

  it('of a machine that the API calls otherwise is of that node', async () => {
    const pod = {
      kind: 'Pod',
      metadata: { name: 'eater' },
      spec: { nodeName: 'worker-7', containers: [] },
      status: { containerStatuses: [{ name: 'eater', containerID: `containerd://${ID}`, state: {} }] },
    };
    const found = await readTexts({
      'kern.log': OOM.map((line) => `2026-11-20T21:53:59+0000 ip-10-0-0-7 kernel: ${line}\n`).join(''),
      messages: `2026-11-20T21:53:59+0000 ip-10-0-0-7 earlyoom[1]: sending SIGKILL to process 1 uid 0 "x": badness 1\n`,
      dmesg: `[  240.100000] x[1]: segfault at 0 ip 0 sp 0 error 4\n`,
      'pod.json': JSON.stringify(pod),
    });
    expect(
      new Set(
        found.observations
          .filter(isSaid)
          .filter(({ kind }) => kind !== 'pod-seen')
          .map(({ node }) => node),
      ),
    ).toEqual(new Set(['worker-7']));
  });

  it('that has a line twice tells of two kills, and two files that have it of one', async () => {
    const line = `[  240.100000] ${OOM[1]}\n`;
    const kills = async (files: Readonly<Record<string, string>>): Promise<number> =>
      ofKind(await readTexts(files), 'kernel-killed').length;
    expect(await kills({ a: line, b: line })).toBe(1);
    expect(await kills({ a: line + line, b: line })).toBe(2);
  });

  it('of two boots keeps their processes apart', async () => {
    const boot = (day: number): string =>
      ['Linux version 6.1.0', ...OOM]
        .map((line) => `2026-11-${day}T21:53:59+0000 n kernel: ${line}\n`)
        .join('');
    const found = await readTexts({ 'kern.log': boot(20) + boot(21).replaceAll('1735', '1736') });
    expect(ofKind(found, 'kernel-killed').map(({ boot: name }) => name)).toEqual(['n 1', 'n 2']);
  });

  it('whose numbers have a gap has lost records', async () => {
    const found = await readTexts({ kmsg: `6,1,100,-;x\n6,5,200,-;y\n` });
    expect(ofKind(found, 'lost').map(({ why }) => why)).toContain('kmsg records 2 to 4 are missing');
  });
});

describe('a file of anybody', () => {
  const kill = `[  240.100000] ${OOM[1]}\n`;

  it.each([
    ['lines that end as on Windows', Buffer.from(kill.replaceAll('\n', '\r\n'))],
    ['a byte order mark', Buffer.from(`\uFEFF${kill}`)],
    [
      'NUL and bytes that are not text',
      Buffer.concat([Buffer.from(kill), Buffer.from([0, 0xff, 0xfe, 0x1b, 10])]),
    ],
    ['no line break at its end', Buffer.from(kill.trim())],
  ])('may have %s', async (_what, bytes) => {
    expect(ofKind(await readTexts({ 'dmesg.txt': bytes }), 'kernel-killed')).toMatchObject([
      { pid: 1735, ref: { line: 1 } },
    ]);
  });

  it('that has lines of a format, and none about an end, is no evidence; its format is known', async () => {
    const { sources, unknown, silent } = await readTexts({
      'a.md': 'It says\nthis\nand\nthat\n\nNov 20 21:53:51 node-7 sshd[12]: Accepted publickey for root\n',
      'b.md': 'nothing at all\n',
    });
    expect(sources).toEqual([]);
    expect(unknown).toEqual(['b.md', 'a.md']);
    expect([...silent]).toEqual([['a.md', 'journalctl']]);
  });

  it('may have a line that is longer than any tool writes: it is said', async () => {
    const found = await readTexts({
      'dmesg.txt': `${kill}[  241.000000] ${'x'.repeat(MAX_LINE_BYTES)}\n${kill}`,
    });
    expect(found.problems).toContain(
      'dmesg.txt: 1 lines are longer than any that a tool writes; their ends were left out',
    );
    expect(ofKind(found, 'kernel-killed').map(({ ref }) => ref.line)).toEqual([1, 3]);
  });

  it('may be a journal file of systemd: what reads it is said', async () => {
    const { unknown, problems } = await readTexts({ 'system.journal': 'LPKSHHRH\0\0\0' });
    expect(unknown).toEqual(['system.journal']);
    expect(problems).toEqual([
      'system.journal is a journal file of systemd, which only journalctl reads: journalctl --file=system.journal --output=json --all --utc --no-pager > journal.json',
    ]);
  });

  it.each([
    [
      'a YAML bomb',
      `kind: Pod\nmetadata: &a [x, x]\nstatus: &b [*a, *a, *a]\nspec: [${'*b, '.repeat(900)}*b]\n`,
    ],
    ['JSON that goes deep', `{"kind":"Pod","status":${'['.repeat(5000)}${']'.repeat(5000)}}\n`],
    ['broken JSON', '{"kind": "Pod", "status": {\n'],
  ])('may hold %s: it says nothing', async (_what, text) => {
    const { observations } = await readTexts({ a: text });
    expect(observations.filter(isSaid).filter(({ kind }) => kind !== 'pod-seen')).toEqual([]);
  });
});
