import { describe, expect, it } from 'vitest';
import { containerd, finished, ID, OOM, ofKind, readTexts } from './read-texts.ts';

const at = (iso: string): number => Date.parse(iso);
const ended = (finishedAt: string, startedAt?: string): string =>
  JSON.stringify({
    kind: 'Pod',
    metadata: { name: 'eater', namespace: 'default', uid: 'u' },
    spec: { nodeName: 'node-1', containers: [] },
    status: {
      containerStatuses: [
        {
          name: 'eater',
          state: { terminated: { exitCode: 137, containerID: `containerd://${ID}`, startedAt, finishedAt } },
        },
      ],
    },
  });
const dmesgT = (time: string): string => OOM.map((text) => `[${time}] ${text}\n`).join('');
const kernLog = (time: string): string =>
  OOM.map((text) => `${time} node-1 kernel: [  240.100000] ${text}\n`).join('');
const dmesg = (seconds: string): string => OOM.map((text) => `[${seconds}] ${text}\n`).join('');

interface Case {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly options?: { timezone?: string; year?: number };
  /** Of the file `log`. */
  readonly how: string;
  /** Of its first record; undefined when nothing may tell. */
  readonly first: string | undefined;
  readonly cutMs?: number;
}

const CASES: readonly Case[] = [
  {
    what: 'a prefix without year and zone, and the time of containerd behind it',
    files: {
      log: `Nov 21 03:23:58 node-1 containerd[1]: ${containerd('2026-11-20T21:53:58.997Z')}\n${kernLog('Nov 21 03:23:59')}`,
    },
    how: 'two-clocks',
    first: '2026-11-20T21:53:59.000Z',
    cutMs: 1000,
  },
  {
    what: 'the turn of the year within a file',
    files: {
      log: `${kernLog('Dec 31 23:59:58')}Jan  1 00:00:02 node-1 containerd[1]: ${containerd('2027-01-01T00:00:02.000Z')}\n`,
    },
    how: 'two-clocks',
    first: '2026-12-31T23:59:58.000Z',
    cutMs: 1000,
  },
  {
    what: '29 February',
    files: {
      log: `${kernLog('Feb 29 10:00:00')}Feb 29 10:00:02 node-1 containerd[1]: ${containerd('2028-02-29T10:00:02Z')}\n`,
    },
    how: 'two-clocks',
    first: '2028-02-29T10:00:00.000Z',
    cutMs: 1000,
  },
  {
    what: 'summer time that ends within a file',
    files: {
      log: [
        `Oct 25 02:30:00 node-1 containerd[1]: ${containerd('2026-10-25T00:30:00Z')}\n`,
        kernLog('Oct 25 02:30:01'),
        `Oct 25 02:30:00 node-1 containerd[1]: ${containerd('2026-10-25T01:30:00Z')}\n`,
      ].join(''),
    },
    how: 'two-clocks',
    first: '2026-10-25T00:30:01.000Z',
    cutMs: 1000,
  },
  {
    what: 'the kubelet, which quotes a time with a zone',
    files: {
      log: `I1121 06:53:54.793512     857 pod_startup_latency_tracker.go:104] "Observed pod startup duration" pod="a/b" watchObservedRunningTime="2026-11-20 21:53:54.7930715 +0000 UTC m=+105.8"\n${finished('1121 06:53:59.873747')}\n`,
    },
    how: 'two-clocks',
    first: '2026-11-20T21:53:54.793Z',
  },
  {
    what: 'the same lines in a journal, for times since boot',
    files: {
      log: dmesg('  240.100000'),
      'journal.txt': OOM.map((text) => `2026-11-20T21:53:59+0000 n kernel: ${text}\n`).join(''),
    },
    how: 'same-lines',
    first: '2026-11-20T21:53:59.000Z',
    cutMs: 1000,
  },
  {
    what: 'the same lines in a journal, for times of a wall clock without a zone',
    files: {
      log: dmesgT('Fri Nov 20 16:53:59 2026'),
      'journal.txt': OOM.map((text) => `2026-11-20T21:53:59+00:00 n kernel: ${text}\n`).join(''),
    },
    how: 'same-lines',
    first: '2026-11-20T21:53:59.000Z',
    cutMs: 1000,
  },
  {
    what: 'the boot time of the node',
    files: {
      log: dmesg('  240.100000'),
      'proc/stat': `cpu  1 2 3\nbtime ${at('2026-11-20T21:50:00Z') / 1000}\n`,
    },
    how: 'boot-time',
    first: '2026-11-20T21:54:00.100Z',
    cutMs: 1000,
  },
  {
    what: 'the end of a container that the API dates',
    files: { log: dmesgT('Sat Nov 21 03:23:58 2026'), 'pod.json': ended('2026-11-20T21:53:59Z') },
    how: 'containers',
    first: '2026-11-20T21:53:58.000Z',
    cutMs: 1000,
  },
  {
    what: 'an end that is no end of this kill: nothing is derived from it',
    files: { log: dmesgT('Sat Nov 21 03:13:11 2026'), 'pod.json': ended('2026-11-20T21:53:59Z') },
    how: 'unknown',
    first: undefined,
  },
  {
    what: 'times since boot, and a life: between two times',
    files: {
      log: dmesg('  240.100000'),
      'pod.json': ended('2026-11-20T21:53:59Z', '2026-11-20T21:53:50Z'),
    },
    how: 'containers',
    first: undefined,
  },
  {
    what: 'times since boot, and an end: that a kill was the end is not known',
    files: { log: dmesg('  240.100000'), 'pod.json': ended('2026-11-20T21:53:59Z') },
    how: 'unknown',
    first: undefined,
  },
  {
    what: 'a life: a kill is within it, however long before the end',
    files: {
      log: dmesgT('Sat Nov 21 03:23:11 2026'),
      'pod.json': ended('2026-11-20T21:53:59Z', '2026-11-20T21:53:04Z'),
    },
    how: 'containers',
    first: '2026-11-20T21:53:11.000Z',
    cutMs: 1000,
  },
  {
    what: 'a life of hours, in which several zones fit, none of them near its end: between two times',
    files: {
      log: dmesgT('Sat Nov 21 03:23:11 2026'),
      'pod.json': ended('2026-11-20T21:53:59Z', '2026-11-20T20:53:04Z'),
    },
    how: 'containers',
    first: undefined,
  },
  {
    what: 'the zone of another file of the node',
    files: {
      log: `[Fri Nov 20 23:53:58 2026] eater[12]: segfault at 0 ip 00 sp 00 error 4\n`,
      'kubelet.log': `Nov 20 23:53:51 node-1 containerd[1]: ${containerd('2026-11-20T21:53:51Z')}\n`,
    },
    how: 'node',
    first: '2026-11-20T21:53:58.000Z',
    cutMs: 1000,
  },
  { what: 'nothing else', files: { log: kernLog('Nov 20 21:53:59') }, how: 'unknown', first: undefined },
  {
    what: 'a zone and a year that somebody said',
    files: { log: kernLog('Jul 20 21:53:59') },
    options: { timezone: 'Europe/Berlin', year: 2025 },
    how: 'given',
    first: '2025-07-20T19:53:59.000Z',
    cutMs: 1000,
  },
  {
    what: 'a zone that somebody said, for times with a year',
    files: { log: dmesgT('Fri Nov 20 21:53:58 2026') },
    options: { timezone: '-08:00' },
    how: 'given',
    first: '2026-11-21T05:53:58.000Z',
    cutMs: 1000,
  },
];

describe('the clock of a file', () => {
  it.each(CASES)('is known by $what', async ({ files, options, how, first, cutMs }) => {
    const { observations, sources, problems } = await readTexts(files, options);
    const source = sources.find(({ file }) => file === 'log');
    expect(source?.clock).toBe(how);
    const records = observations.filter(({ kind, ref }) => kind !== 'covered' && ref.file === 'log');
    const record = records
      .sort((a, b) => (a.ref.line ?? 0) - (b.ref.line ?? 0))
      .find(({ ref }) => !ref.text.includes('TaskOOM'));
    const own = observations.find(({ kind }) => kind === 'kernel-oom-context');
    const seen = files['log']?.includes('oom-kill') === true ? own : record;
    expect(seen?.at === undefined ? undefined : new Date(Math.floor(seen.at)).toISOString()).toBe(first);
    if (cutMs !== undefined) expect(seen?.cutMs).toBe(cutMs);
    expect(problems.length > 0).toBe(how === 'unknown');
  });

  it('gives two times between which a record was, where only a life is known', async () => {
    const found = await readTexts({
      log: dmesg('  240.100000'),
      'pod.json': ended('2026-11-20T21:53:59Z', '2026-11-20T21:53:50Z'),
    });
    const [kill] = ofKind(found, 'kernel-killed');
    expect(kill?.between?.from).toBeLessThan(at('2026-11-20T21:53:58Z'));
    expect(kill?.between?.to).toBeGreaterThanOrEqual(at('2026-11-20T21:53:59.999Z'));
  });

  it('says what to say when nothing tells', async () => {
    const { problems } = await readTexts({ 'kern.log': kernLog('Nov 20 21:53:59') });
    expect(problems).toEqual([
      'kern.log: nothing tells when its lines were written: say --timezone and --year',
    ]);
  });

  it('takes no year where two fit', async () => {
    const { sources } = await readTexts({
      'old.log': `${kernLog('Jun 20 21:53:59')}`,
      'dated.log': `Nov 20 23:53:51 node-1 containerd[1]: ${containerd('2026-11-20T21:53:51Z')}\nNov 20 23:53:51 node-1 containerd[1]: ${containerd('2026-11-20T21:53:51Z')}\n`,
    });
    expect(sources.find(({ file }) => file === 'old.log')?.clock).toBe('unknown');
  });

  it('says when two files have the same lines hours apart', async () => {
    const { problems } = await readTexts({
      'a.log': OOM.map((text) => `2026-11-20T21:53:59+0000 n kernel: ${text}\n`).join(''),
      'b.log': OOM.map((text) => `2026-11-20T22:53:59+0000 n kernel: ${text}\n`).join(''),
    });
    expect(problems).toEqual(['a.log and b.log have the same lines at times that are 1 hours apart']);
  });

  it('names a zone that is none', async () => {
    const { problems } = await readTexts(
      { 'kern.log': kernLog('Nov 20 21:53:59') },
      { timezone: 'Berlin', year: 2026 },
    );
    expect(problems[0]).toBe('Berlin is not a time zone');
  });
});
