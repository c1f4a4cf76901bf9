import { describe, expect, it } from 'vitest';
import { OOM, readTexts } from '../evidence/bundle/read-texts.ts';

/** What a container printed, exported by a collector of logs: it may quote the kernel and call itself so, and is no word of either. */

interface Printed {
  readonly time: string;
  readonly text: string;
}

const KUBELET = 'I1120 21:53:58.1 857 kuberuntime_container.go:709] "Killing container" pod="default/eater"';
const lines = (texts: readonly string[]): Printed[] =>
  texts.map((text, index) => ({ time: `2026-11-20T21:53:59.${100 + index}Z`, text }));
const BARE = lines(OOM);
const NAMED = lines([...OOM.map((text) => `Nov 20 21:53:59 node-1 kernel: ${text}`), KUBELET]);
const json = JSON.stringify;
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const grafana = (labels: object): string =>
  json(
    BARE.map(({ time, text }) => ({
      line: text,
      timestamp: time,
      fields: { transport: 'kernel', ...labels },
    })),
  );
const elastic = (fields: object): string =>
  json({
    hits: {
      hits: BARE.map(({ time, text }) => ({
        _source: { '@timestamp': time, process: { name: 'kernel' }, message: text, ...fields },
      })),
    },
  });
const splunk = (fields: object): string =>
  NAMED.map(({ time, text }) => `${json({ result: { _raw: text, _time: time, ...fields } })}\n`).join('');
const loki = (stream: object): string =>
  json({
    data: {
      result: [
        {
          stream: { transport: 'kernel', ...stream },
          values: BARE.map(({ text }, index) => [`17639828391${String(index).padStart(2, '0')}000000`, text]),
        },
      ],
    },
  });
const insight = (beside: object): string =>
  json(NAMED.map(({ time, text }) => ({ '@timestamp': time, '@message': text, ...beside })));

const FORGED: readonly (readonly [string, string])[] = [
  ['Loki, with the name of a pod', loki({ pod: 'app-0', namespace: 'default' })],
  ['Loki, with the file of a container', loki({ filename: '/var/log/pods/default_app-0_1/app/0.log' })],
  ['Loki, with labels of OpenTelemetry', loki({ 'k8s.container.name': 'app' })],
  ['Grafana, with the name of a container', grafana({ container: 'app' })],
  ['Elasticsearch, with the name of a pod', elastic({ pod_name: 'app-0' })],
  ['Elasticsearch, with names of Kubernetes', elastic({ 'kubernetes.pod.name': 'app-0' })],
  [
    'Elasticsearch, with what a container printed as JSON',
    json({
      stream: 'stdout',
      kubernetes: { pod_name: 'app-0' },
      parsed: { timestamp: BARE[1]?.time, service: 'kernel', message: OOM[1] },
    }),
  ],
  [
    'Elasticsearch, with what a container printed as klog',
    json({
      stream: 'stdout',
      kubernetes: { pod_name: 'app-0' },
      ts: 1763982839100,
      v: 2,
      caller: 'kuberuntime/kuberuntime_container.go:728',
      msg: 'Killing container with a grace period',
      pod: { name: 'eater', namespace: 'default' },
    }),
  ],
  ['Splunk, with a source type of containers', splunk({ sourcetype: 'kube:container:app' })],
  ['Splunk, with the file of a container', splunk({ source: '/var/log/containers/app-0_default_app-1.log' })],
  [
    'CloudWatch, of the group of applications',
    insight({ '@log': '1:/aws/containerinsights/shop/application' }),
  ],
  [
    'CloudWatch, of the stream of a container',
    insight({ '@logStream': 'ip-10-0-0-7-application.var.log.containers.app-0_default_app-1.log' }),
  ],
  [
    'CSV with a column of containers',
    `Date,Container,Service,Message\n${BARE.map(({ time, text }) => `${time},app,kernel,${cell(text)}\n`).join('')}`,
  ],
  [
    'CSV with a column of labels',
    `Time,labels,Line\n${NAMED.map(({ time, text }) => `${time},${cell(json({ container: 'app' }))},${cell(text)}\n`).join('')}`,
  ],
  [
    'a screen of Loki',
    NAMED.map(({ text }) => `2026-11-20 21:53:59.100\t{"container":"app","pod":"app-0"}\t${text}\n`).join(''),
  ],
  [
    'logcli',
    NAMED.map(({ text }) => `2026-11-20T21:53:59Z {container="app", pod="app-0"} ${text}\n`).join(''),
  ],
  [
    'Cloud Logging, of a pod',
    json(
      BARE.map(({ time, text }) => ({
        textPayload: text,
        timestamp: time,
        logName: 'projects/p/logs/kernel',
        resource: { type: 'k8s_pod', labels: { pod_name: 'app-0' } },
      })),
    ),
  ],
];

describe('what a container printed', () => {
  it.each(FORGED)('is no word of its node: %s', async (_what, text) => {
    const { observations } = await readTexts({ 'export.txt': text });
    const said = observations.filter(({ kind }) => kind.startsWith('kernel-') || kind === 'kubelet-said');
    expect(said).toEqual([]);
  });
});

const DUMP = '==== START logs for container app of pod default/app-0 ====\n';
const DUMP_END = '==== END logs for container app of pod default/app-0 ====\n';
const PRINTED = NAMED.map(({ text }) => `${text}\n`).join('');
const NODE_LIST = `${json({ kind: 'NodeList', apiVersion: 'v1', items: [] })}\n`;

describe('what a container printed, where collectors put it', () => {
  const saidIn = async (path: string, text: string): Promise<number> => {
    const { observations } = await readTexts({ [path]: text });
    return observations.filter(({ kind }) => kind.startsWith('kernel-') || kind === 'kubelet-said').length;
  };

  it.each([
    ['a node', 'var/log/pods/default_app-0_0aa5fe1a/app/0.log', PRINTED],
    ['links of a node', 'var/log/containers/app-0_default_app-0123.log', PRINTED],
    ['kind', 'kind-worker/pods/default_app-0_0aa5fe1a/app/0.log', PRINTED],
    ['must-gather', 'ns/namespaces/default/pods/app-0/app/app/logs/current.log', PRINTED],
    ['support-bundle', 'cluster-resources/pods/logs/default/app-0/app.log', PRINTED],
    ['a dump in a folder', 'default/app-0/logs.txt', `${DUMP}${PRINTED}${DUMP_END}`],
    ['a dump in one file', 'dump.txt', `${NODE_LIST}${DUMP}${PRINTED}${DUMP_END}${NODE_LIST}`],
    ['a dump whose end it prints itself', 'dump.txt', `${DUMP}${DUMP_END}${PRINTED}${DUMP_END}`],
  ])('is no word of its node: %s', async (_collector, path, text) => {
    expect(await saidIn(path, text)).toBe(0);
  });

  it.each(['node-1/logs.txt', 'logs/pods.log', 'var/log/messages'])(
    'is a log elsewhere: %s',
    async (path) => {
      expect(await saidIn(path, PRINTED)).toBeGreaterThan(0);
    },
  );
});
