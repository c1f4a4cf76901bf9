import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { runCli } from '../support/run-cli.ts';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: '11fb4b18-3dc9-4db2-a842-e464f797527a' },
  spec: { nodeName: 'node-1', containers: [{ name: 'web', image: 'web' }] },
  status: {
    phase: 'Failed',
    containerStatuses: [
      {
        name: 'web',
        restartCount: 0,
        containerID: `containerd://${'b'.repeat(64)}`,
        state: {
          terminated: {
            containerID: `containerd://${'b'.repeat(64)}`,
            exitCode: 137,
            reason: 'Error',
            startedAt: '2026-11-20T21:53:01Z',
            finishedAt: '2026-11-20T21:53:59Z',
          },
        },
      },
    ],
  },
};
const NODE = {
  kind: 'Node',
  metadata: { name: 'node-1' },
  status: { images: [{ names: ['pause:3.10'], sizeBytes: 1 }], nodeInfo: { architecture: 'amd64' } },
};
const RUNNING = { phase: 'Running', containerStatuses: [{ name: 'reader', state: { running: {} } }] };

/** What an API answers to the debug pod, or to what is run in it. */
interface Refusal {
  readonly at: 'create' | 'exec';
  readonly code: number;
  readonly message: string;
}

let home: string;
let server: Server;
let pods: string[];
let changes: string[];
let refusal: Refusal;

function answer(method: string, path: string): { readonly status: number; readonly body: object } {
  const at = /^\/api\/v1\/namespaces\/default\/pods(?:\/([\w.-]+))?(\/exec)?(?:\?.*)?$/.exec(path);
  const [, name, exec] = at ?? [];
  if (method !== 'GET') changes.push(`${method} ${path.replace(/\?.*/, '')}`);
  const isCreation = method === 'POST' && at !== null && name === undefined;
  if ((isCreation && refusal.at === 'create') || exec !== undefined) {
    const { code, message } = refusal;
    return { status: code, body: { kind: 'Status', status: 'Failure', reason: 'Forbidden', code, message } };
  }
  if (isCreation) {
    pods.push('whodunit-autopsy-x7k2p');
    return { status: 201, body: { kind: 'Pod', metadata: { name: 'whodunit-autopsy-x7k2p' } } };
  }
  if (method === 'DELETE' && name !== undefined) {
    pods = pods.filter((one) => one !== name);
    return { status: 200, body: { kind: 'Pod', metadata: { name } } };
  }
  if (name === 'web') return { status: 200, body: POD };
  if (name !== undefined && pods.includes(name))
    return { status: 200, body: { kind: 'Pod', metadata: { name }, status: RUNNING } };
  if (path === '/api/v1/nodes/node-1') return { status: 200, body: NODE };
  if (path.includes('/events?') || at !== null) return { status: 200, body: { items: [] } };
  return { status: 404, body: { kind: 'Status', code: 404, message: 'not found' } };
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-refused-'));
  [pods, changes] = [[], []];
  server = createServer((request, response) => {
    request.resume();
    const { status, body } = answer(request.method ?? '', request.url ?? '');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [
      { name: 'c', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
    ],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: {} }],
  };
  writeFileSync(join(home, 'kubeconfig'), stringify(config));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(home, { recursive: true });
});

/** The words of Kubernetes 1.34 (staging/src/k8s.io/pod-security-admission/policy). */
const RESTRICTED = [
  'pods "whodunit-autopsy-x7k2p" is forbidden: violates PodSecurity "restricted:latest": privileged (container "reader" must not set securityContext.privileged=true)',
  'allowPrivilegeEscalation != false (container "reader" must set securityContext.allowPrivilegeEscalation=false)',
  'unrestricted capabilities (container "reader" must set securityContext.capabilities.drop=["ALL"])',
  'restricted volume types (volumes "node", "usr", "bin", "lib", "lib64" use restricted volume type "hostPath")',
  'runAsNonRoot != true (pod or container "reader" must set securityContext.runAsNonRoot=true)',
  'seccompProfile (pod or container "reader" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
].join(', ');

const MADE = 'POST /api/v1/namespaces/default/pods';
const REMOVED = 'DELETE /api/v1/namespaces/default/pods/whodunit-autopsy-x7k2p';

describe('a cluster that refuses the debug pod', () => {
  it.each<[string, Refusal, readonly string[]]>([
    ['Pod Security', { at: 'create', code: 403, message: RESTRICTED }, [MADE]],
    [
      'a rule of OpenShift',
      {
        at: 'create',
        code: 403,
        message:
          'pods "whodunit-autopsy-" is forbidden: unable to validate against any security context constraint: [provider "restricted-v2": Forbidden: not usable by user or serviceaccount]',
      },
      [MADE],
    ],
    [
      'the rights of the user',
      {
        at: 'create',
        code: 403,
        message:
          'pods is forbidden: User "dev" cannot create resource "pods" in API group "" in the namespace "default"',
      },
      [MADE],
    ],
    [
      'a webhook',
      {
        at: 'create',
        code: 400,
        message: 'admission webhook "policy.example" denied the request: [no-privileged] reader',
      },
      [MADE],
    ],
  ])('names the rule and the commands to run by hand: %s', async (_what, refused, expected) => {
    refusal = refused;
    const words = ['default/web', '--kubeconfig', join(home, 'kubeconfig'), '--node-access', 'debug-pod'];
    const { status, stdout, stderr } = await runCli(home, ['autopsy', ...words]);
    expect(stderr.split('\n')).toEqual([
      'error LAB_API: the cluster refused a debug pod in default',
      `  last seen: HTTP ${refused.code}: ${refused.message}`,
      expect.stringMatching(/^ {2}try: npx whodunit autopsy default\/web --print-commands/) as string,
      '',
    ]);
    expect([status, stdout]).toEqual([3, '']);
    expect(changes).toEqual(expected);
    expect(pods).toEqual([]);
  });

  it('leaves no pod behind where only running something in it is refused', async () => {
    refusal = {
      at: 'exec',
      code: 403,
      message: 'pods "whodunit-autopsy-x7k2p" is forbidden: User "dev" cannot create resource "pods/exec"',
    };
    const words = ['default/web', '--kubeconfig', join(home, 'kubeconfig'), '--node-access', 'debug-pod'];
    const { status, stdout, stderr } = await runCli(home, ['autopsy', ...words]);
    expect(stderr).toContain('--print-commands');
    expect([status, stdout]).toEqual([3, '']);
    expect(changes).toEqual([MADE, REMOVED]);
    expect(pods).toEqual([]);
  });
});
