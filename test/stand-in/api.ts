import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:tls';
import { randomUUID } from 'node:crypto';
import { parseAllDocuments } from 'yaml';
import { makeIdentity } from '../https-server.ts';
import type { GuestBody, StandInApi } from './guest-body.ts';

/** How long a container of a pod lives. */
const LIFE_MS = 60;

let identity: ReturnType<typeof makeIdentity> | undefined;

/** Builds an API; `body` is its guest, which is made after it. */
export function openApi(body: () => GuestBody, tell: (what: string) => void): StandInApi {
  identity ??= makeIdentity();
  const { ca, cert, key } = identity;
  const watchers = new Set<ServerResponse>();
  const http = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    tell(`api: ${request.method ?? ''} ${path}`);
    void answer({ body: body(), request, response, path, watchers });
  });
  const tls = createTlsServer({ key, cert }, (socket) => http.emit('connection', socket));
  tls.on('tlsClientError', () => undefined);
  return {
    serve: (socket) => void tls.emit('connection', socket),
    kubeconfig: () => renderKubeconfig(ca),
    forget: () => watchers.clear(),
  };
}

function renderKubeconfig(ca: string): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'current-context: it',
    'clusters:',
    '  - name: it',
    '    cluster:',
    '      server: https://10.0.2.15:6443',
    `      certificate-authority-data: ${Buffer.from(ca).toString('base64')}`,
    'users: [{ name: it, user: { token: stand-in } }]',
    'contexts: [{ name: it, context: { cluster: it, user: it } }]',
    '',
  ].join('\n');
}

interface Request {
  readonly body: GuestBody;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly watchers: Set<ServerResponse>;
}

async function answer(asked: Request): Promise<void> {
  const { request, response, path, watchers, body } = asked;
  const json = (status: number, value: unknown): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (/[?&]watch=/.test(request.url ?? '')) return watch(asked);
  if (request.method === 'POST') {
    const object = JSON.parse(await readText(request)) as Pod;
    if (path.endsWith('/pods')) live(object, body, watchers);
    return json(201, { apiVersion: 'v1', kind: 'Pod', ...object });
  }
  if (request.method === 'DELETE') return json(404, { kind: 'Status', status: 'Failure', code: 404 });
  if (path === '/readyz') return void response.end('ok');
  if (path === '/api/v1') return json(200, RESOURCES);
  if (path.endsWith('/proxy/configz')) return json(200, { kubeletconfig: kubeletConfiguration(body) });
  if (path.endsWith('/log')) return void response.end('10.96.0.1\n');
  if (path.includes('/leases/')) return json(200, lease(body.spec.name));
  if (/\/nodes\/[^/]+$/.test(path)) return json(200, node(body));
  if (path === '/api/v1/componentstatuses') return json(200, { items: [CONTROLLERS] });
  if (path.endsWith('/pods'))
    return json(200, { apiVersion: 'v1', kind: 'PodList', metadata: {}, items: SYSTEM_PODS });
  return json(404, { kind: 'Status', status: 'Failure', code: 404 });
}

function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => resolve(text));
  });
}

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'v1',
  resources: [
    { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['create', 'get'] },
    {
      name: 'namespaces',
      singularName: 'namespace',
      namespaced: false,
      kind: 'Namespace',
      verbs: ['create'],
    },
  ],
};

const SYSTEM_PODS = ['kube-proxy', 'kube-dns'].map((app) => ({
  metadata: { name: `${app}-1`, namespace: 'kube-system', labels: { 'k8s-app': app } },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: app, ready: true, restartCount: 0, image: app, imageID: app, state: {} }],
  },
}));

const CONTROLLERS = {
  metadata: { name: 'controller-manager' },
  conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
};

/** The kubelet says what kubeadm was given for it. */
function kubeletConfiguration({ memory }: GuestBody): unknown {
  const documents = parseAllDocuments(memory.files['/etc/kubernetes/kubeadm.yaml'] ?? '');
  return documents
    .map((document) => document.toJS() as { kind?: string })
    .find(({ kind }) => kind === 'KubeletConfiguration');
}

function lease(name: string): unknown {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-node-lease' },
    spec: { renewTime: `${new Date().toISOString().slice(0, -1)}000Z` },
  };
}

function node({ spec, base }: GuestBody): unknown {
  const { kubelet = '', containerd = '' } = base.versions;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: spec.name },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { kubeletVersion: `v${kubelet}`, containerRuntimeVersion: `containerd://${containerd}~ds1` },
    },
  };
}

interface Pod {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: { readonly containers: readonly { readonly name: string }[] };
}

function watch({ response, path, watchers, request, body }: Request): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  if (path !== '/api/v1/pods') return;
  for (const object of Object.values(body.memory.pods)) send(response, 'ADDED', object);
  watchers.add(response);
  request.on('close', () => watchers.delete(response));
}

function send(response: ServerResponse, type: string, object: unknown): void {
  response.write(`${JSON.stringify({ type, object })}\n`);
}

/** A pod whose container runs, dies of its memory limit and is started again. */
function live(object: Pod, body: GuestBody, watchers: Set<ServerResponse>): void {
  const uid = randomUUID();
  const createdAt = new Date().toISOString();
  const show = (type: string, restartCount: number, lastState: unknown): void => {
    const pod = {
      ...object,
      metadata: {
        namespace: 'default',
        ...object.metadata,
        uid,
        creationTimestamp: createdAt,
        resourceVersion: '1',
      },
      spec: { ...object.spec, nodeName: body.spec.name },
      status: {
        phase: 'Running',
        containerStatuses: object.spec.containers.map(({ name }) => ({
          name,
          ready: true,
          restartCount,
          lastState,
          image: 'i',
          imageID: 'i',
          containerID: `containerd://${uid.replaceAll('-', '')}`,
          state: { running: { startedAt: new Date().toISOString() } },
        })),
      },
    };
    body.memory.pods[object.metadata.name] = pod;
    for (const watcher of watchers) send(watcher, type, pod);
  };
  show('ADDED', 0, {});
  setTimeout(
    () =>
      show('MODIFIED', 1, {
        terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() },
      }),
    LIFE_MS,
  ).unref();
}
