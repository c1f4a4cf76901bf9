import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { OOM, podOf, readTexts } from '../evidence/bundle/read-texts.ts';

/** The kernel's lines of one kill, as collectors of logs export them, in either order of time. */

const POD = podOf('OOMKilled');

interface LogLine {
  readonly time: string;
  readonly nano: string;
  readonly text: string;
}

const LINES: readonly LogLine[] = OOM.map((text, index) => ({
  time: `2026-11-20T21:53:59.${String(100 + index)}Z`,
  nano: `17639828391${String(index).padStart(2, '0')}000000`,
  text,
}));
const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const insight = ({
  time,
  text,
}: LogLine): { readonly '@timestamp': string; readonly '@message': string } => ({
  '@timestamp': time.replace('T', ' ').replace('Z', ''),
  '@message': JSON.stringify({ host: 'node-1', ident: 'kernel', message: text, az: 'eu-west-1a' }),
});

const FORMS: Readonly<Record<string, (lines: readonly LogLine[]) => string>> = {
  'Elasticsearch, a search': (lines) =>
    json({
      took: 5,
      hits: {
        total: { value: lines.length },
        hits: lines.map(({ time, text }) => ({
          _index: 'syslog',
          _source: {
            '@timestamp': time,
            host: { name: 'node-1' },
            process: { name: 'kernel' },
            message: text,
          },
        })),
      },
    }),
  'Loki, its API': (lines) =>
    json({
      status: 'success',
      data: {
        resultType: 'streams',
        result: [
          {
            stream: { job: 'systemd-journal', transport: 'kernel', nodename: 'node-1' },
            values: lines.map(({ nano, text }) => [nano, text]),
          },
        ],
      },
    }),
  'Grafana, logs as JSON': (lines) =>
    JSON.stringify(
      lines.map(({ time, nano, text }) => ({
        line: text,
        timestamp: nano,
        date: time,
        fields: { hostname: 'node-1', transport: 'kernel', job: 'systemd-journal' },
      })),
      null,
      2,
    ),
  'CloudWatch Insights as JSON': (lines) => json(lines.map(insight)),
  'CloudWatch Insights as JSON lines': (lines) => lines.map((line) => json(insight(line))).join(''),
  'CloudWatch Insights as CSV': (lines) =>
    `@timestamp,@message\n${lines
      .map(insight)
      .map((one) => `${one['@timestamp']},${quoted(one['@message'])}\n`)
      .join('')}`,
  'Datadog as CSV': (lines) =>
    `Date,Host,Service,Message\n${lines
      .map(({ time, text }) => `${quoted(time)},"node-1","kernel",${quoted(text)}\n`)
      .join('')}`,
  'Log Analytics, its API': (lines) =>
    json({
      tables: [
        {
          name: 'PrimaryResult',
          columns: ['TimeGenerated', 'Computer', 'Facility', 'ProcessName', 'SyslogMessage'].map((name) => ({
            name,
            type: 'string',
          })),
          rows: lines.map(({ time, text }) => [time, 'node-1', 'kern', 'kernel', text]),
        },
      ],
    }),
  'Log Analytics as CSV': (lines) =>
    `"TimeGenerated [UTC]",Computer,ProcessName,SyslogMessage\n${lines
      .map(({ time, text }) => `${quoted(time)},node-1,kernel,${quoted(text)}\n`)
      .join('')}`,
  'Cloud Logging': (lines) =>
    JSON.stringify(
      lines.map(({ time, text }) => ({
        insertId: time,
        jsonPayload: { MESSAGE: text, _TRANSPORT: 'kernel' },
        resource: { type: 'k8s_node', labels: { node_name: 'node-1' } },
        timestamp: time,
      })),
      null,
      2,
    ),
};

async function nameKiller(log: string): Promise<unknown> {
  const [death] = answer(await readTexts({ 'pod.yaml': POD, 'export.txt': log }), {
    pod: 'default/eater',
  }).deaths;
  return [death?.attribution.killer, death?.attribution.confidence];
}

describe('an OOM kill in the export of a collector', () => {
  it.each(Object.entries(FORMS))('%s', async (_name, render) => {
    expect(await nameKiller(render(LINES))).toEqual(['memcg-oom', 'likely']);
  });

  it.each(Object.entries(FORMS))('%s, the newest line first', async (_name, render) => {
    expect(await nameKiller(render(LINES.toReversed()))).toEqual(['memcg-oom', 'likely']);
  });

  it('is no word of the kernel where a container printed it', async () => {
    const stream = { job: 'apps', container: 'app', pod: 'app-0', transport: 'kernel' };
    const values = LINES.map(({ nano, text }) => [nano, text]);
    expect(await nameKiller(json({ data: { result: [{ stream, values }] } }))).toEqual(['unknown', 'none']);
  });
});

const EVENT = {
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'web-0', fieldPath: 'spec.containers{web}' },
  reason: 'Killing',
  message: 'Container web failed liveness probe, will be restarted',
  source: { component: 'kubelet', host: 'node-1' },
  firstTimestamp: '2026-11-20T21:53:59Z',
  lastTimestamp: '2026-11-20T21:53:59Z',
  type: 'Normal',
};

describe('an event', () => {
  const inner = JSON.stringify(EVENT, null, 4).split('\n').slice(1, -1).join('\n');
  it.each([
    ['whose brackets were cut', `${inner},\n`],
    ['whose brackets and last lines were cut', `${inner.split('\n').slice(0, -2).join('\n')}\n`],
    [
      'of Cloud Logging',
      json({
        jsonPayload: { ...EVENT, apiVersion: 'v1', kind: 'Event', metadata: { name: 'web-0.1' } },
        resource: { type: 'k8s_pod', labels: { pod_name: 'web-0' } },
        logName: 'projects/p/logs/events',
        timestamp: '2026-11-20T21:53:59Z',
      }),
    ],
    [
      'of KubeEvents',
      json([
        {
          TimeGenerated: '2026-11-20T21:53:59Z',
          Name: 'web-0',
          Namespace: 'default',
          ObjectKind: 'Pod',
          Reason: 'Killing',
          Message: EVENT.message,
          SourceComponent: 'kubelet',
          Computer: 'node-1',
        },
      ]),
    ],
    [
      'whose beginning was cut, as YAML',
      `involvedObject:\n  kind: Pod\n  name: web-0\n  namespace: default\n  fieldPath: spec.containers{web}\nkind: Event\nmessage: ${EVENT.message}\nreason: Killing\nsource:\n  component: kubelet\ntype: Normal\n`,
    ],
  ])('%s says what it said', async (_what, text) => {
    const [death] = answer(await readTexts({ 'event.txt': text }), {}).deaths;
    expect([death?.pod, death?.container, death?.attribution.killer]).toEqual([
      'default/web-0',
      'web',
      'liveness-probe',
    ]);
  });
});
