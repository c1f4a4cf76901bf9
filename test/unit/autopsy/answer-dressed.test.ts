import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { readTexts } from '../evidence/bundle/read-texts.ts';

/** What chats, collectors of logs and web pages put around what was printed. */

const UNHEALTHY = 'Liveness probe failed: HTTP probe failed with statuscode: 500';
const RESTARTED = 'Container api failed liveness probe, will be restarted';
const EVICTED =
  'I1120 21:53:54.802914     857 eviction_manager.go:627] "Eviction manager: pod is evicted successfully" pod="sre/web-0"';
const AT = '2026-11-20T21:53:54.802Z';
const END = {
  exitCode: 137,
  reason: 'Error',
  startedAt: '2026-11-20T21:50:00Z',
  finishedAt: '2026-11-20T21:53:59Z',
};
const datadog = (more: object = {}): string =>
  `${JSON.stringify([{ id: 'AQ', content: { timestamp: AT, host: 'node-7', service: 'kubelet', message: EVICTED, ...more } }])}\n`;
const splunk = (more: object = {}): string =>
  `${JSON.stringify({ preview: false, result: { _time: AT, host: 'node-7', _raw: `Nov 20 21:53:54 node-7 kubelet[857]: ${EVICTED}`, ...more } })}\n`;

const ROWS: readonly (readonly [what: string, text: string, killer: string, at?: string | undefined])[] = [
  [
    'a table of Markdown',
    `| LAST SEEN | TYPE | REASON | OBJECT | MESSAGE |\n|---|---|---|---|---|\n| 3m | Warning | Unhealthy | pod/api-0 | ${UNHEALTHY} |\n| 2m | Normal | Killing | pod/api-0 | ${RESTARTED} |\n`,
    'liveness-probe',
  ],
  [
    'bullets of a chat',
    `•  Warning  Unhealthy  3m   kubelet  ${UNHEALTHY}\n•  Normal   Killing    3m   kubelet  ${RESTARTED}\n`,
    'liveness-probe',
  ],
  [
    'signs of a web page',
    `2m          Normal    Killing     pod/api&#45;0   ${RESTARTED}\n`,
    'liveness-probe',
  ],
  [
    'an item of a list, whose fence is indented',
    `1. the kubelet says:\n  \`\`\`\n  Nov 20 21:53:54 node-7 kubelet[857]: ${EVICTED}\n  \`\`\`\n2. nothing else\n`,
    'kubelet-eviction',
  ],
  [
    'an export as CSV',
    `"Time","Line","host","unit"\n"${AT}","${EVICTED.replaceAll('"', '""')}","node-7","kubelet.service"\n`,
    'kubelet-eviction',
    AT,
  ],
  ['a result of Splunk', splunk(), 'kubelet-eviction', AT],
  ['an entry of Datadog', datadog(), 'kubelet-eviction', AT],
  [
    'the state of a container by -o jsonpath',
    `${JSON.stringify({ terminated: END })}\n`,
    'unknown',
    '2026-11-20T21:53:59.000Z',
  ],
  [
    'lines of crictl inspect',
    `    "state": "CONTAINER_EXITED",\n    "startedAt": "${END.startedAt}",\n    "finishedAt": "${END.finishedAt}",\n    "exitCode": 137,\n    "reason": "OOMKilled",\n    "message": "",\n`,
    'unknown',
    '2026-11-20T21:53:59.000Z',
  ],
  [
    'two lines that were quoted without their columns',
    `Killing container with id docker://70a8xxx:pod "my-pod-3965_web(9b28710e-xxx)" container "api" is unhealthy, it will be killed and re-created.\n`,
    'liveness-probe',
  ],
  [
    'sentences behind a time of a web page',
    `6/11/2020, 17:52:33.000 Liveness probe failed:\n6/11/2020, 17:52:33.000 ${RESTARTED}\n`,
    'liveness-probe',
  ],
  [
    'rows of events of 2015, without their header',
    `  Tue, 07 Apr 2015 12:08:30 -0700\tTue, 07 Apr 2015 12:08:30 -0700\t1\t{kubelet 127.0.0.1}\tspec.containers{nginx}\t\tkilling\t\tKilling 0b7743acd1a5f54aeccf4fe16c8cfbaa5e935a541c2fca59150cc250f7035d4e\n`,
    'unknown',
    '2015-04-07T19:08:30.000Z',
  ],
  [
    'a row with the name, the word and the message',
    'rook-tools-5d85d6fc7-xwsv5     storage    Evicted   oct-03   The node was low on resource: ephemeral-storage. Container tools was using 1964Ki, which exceeds its request of 0. \n',
    'kubelet-eviction',
  ],
];

describe('a paste with something around it', () => {
  it.each(ROWS.map(([what, text, killer, at]) => ({ what, text, killer, at })))(
    'is read: $what',
    async ({ text, killer, at }) => {
      const { deaths } = answer(await readTexts({ 'paste.txt': text }), {});
      expect(deaths.map(({ attribution }) => attribution.killer)).toEqual([killer]);
      expect(deaths[0]?.at).toBe(at);
    },
  );

  it.each([
    ['Datadog', datadog({ tags: ['pod_name:web-0', 'kube_namespace:sre'] })],
    ['Splunk', splunk({ container_name: 'web' })],
  ])('is no word of the kubelet if a container printed it: %s', async (_by, text) => {
    const read = await readTexts({ 'export.json': text });
    expect(() => answer(read, {})).toThrow(/nothing that was given is evidence/);
  });

  it('is of one pod, whether a record has its namespace or not', async () => {
    const row =
      'web-0\t\tEvicted\t\tThe node was low on resource: memory. Container web was using 2456Ki. \n';
    const { deaths } = answer(await readTexts({ 'row.txt': row, 'kubelet.log': `${EVICTED}\n` }), {});
    expect(deaths).toMatchObject([
      { pod: 'sre/web-0', attribution: { killer: 'kubelet-eviction', how: 'memory' } },
    ]);
  });

  it('is no pod if a node is described', async () => {
    const node = `Name:               node-7\nRoles:              <none>\nEvents:\n  Type     Reason     Age   From     Message\n  ----     ------     ----  ----     -------\n  Warning  SystemOOM  3m    kubelet  System OOM encountered, victim process: eater, pid: 1735\n`;
    const read = await readTexts({ 'node.txt': node });
    expect(() => answer(read, {})).toThrow(/no container that died/);
  });

  it('tells where the kernel killed a process whose container no line names', async () => {
    const kill = `[ 7063.247407] Memory cgroup out of memory: Killed process 63214 (uwsgi) total-vm:3149468kB, anon-rss:164992kB, file-rss:52176kB, shmem-rss:92kB, UID:0 pgtables:1372kB oom_score_adj:986\n[ 7063.263325] oom_reaper: reaped process 63214 (uwsgi), now anon-rss:0kB, file-rss:0kB, shmem-rss:92kB\n`;
    const read = await readTexts({ 'dmesg.txt': kill });
    expect(() => answer(read, {})).toThrow(
      /no line that was given says in which container it was \(dmesg\.txt:1\)/,
    );
  });
});

describe('a kill of which the container is not told', () => {
  it.each([
    [
      'the kernel chose a process',
      '[4650180.470877] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=aegis,mems_allowed=0,global_oom,task_memcg=/system.slice/docker-00748bf4e957f82c239a1db8a88579059b7d40c7b5fbd3f43617d31d3f646f12.scope,task=java,pid=7134,uid=1000\n',
      'its line "Killed process" was not given',
    ],
    [
      'the kernel killed a process',
      '[ 7063.247407] Memory cgroup out of memory: Killed process 63214 (uwsgi) total-vm:3149468kB, anon-rss:164992kB, file-rss:52176kB, shmem-rss:92kB, UID:0 pgtables:1372kB oom_score_adj:986\n',
      'no line that was given says in which container it was',
    ],
  ])('is said: %s', async (_what, text, said) => {
    const read = await readTexts({ 'dmesg.txt': text });
    expect(() => answer(read, {})).toThrow(said);
  });
});
