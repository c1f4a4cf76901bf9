import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findTool } from '../../../../lab/drivers/host/host-facts.ts';
import type { ApiObject } from './objects-of-captures.ts';

/** The program by which people get objects of the API; said by a test that is skipped. */
export const KUBECTL = findTool('kubectl', process.env.PATH ?? '');

/** Whether it has `kubectl events`, as since 1.26. */
export function hasEvents(): boolean {
  return KUBECTL !== undefined && spawnSync(KUBECTL, ['events', '--help']).status === 0;
}

interface Served {
  readonly pods: readonly ApiObject[];
  readonly events: readonly ApiObject[];
}

const KINDS = { pods: 'Pod', events: 'Event' } as const;
const KUBECTL_MS = 60_000;

/** What the real kubectl prints, by its words, of these objects: as much of an API as it asks for is served on this machine. */
export async function printByKubectl(
  served: Served,
  asked: readonly (readonly string[])[],
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-kubectl-'));
  const server = createServer(({ url = '' }, response) => {
    const found = answer(new URL(url, 'http://127.0.0.1'), served);
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? NOT_FOUND));
  });
  try {
    const port = await listen(server);
    const printed: string[] = [];
    for (const words of asked) {
      const { stdout } = await promisify(execFile)(
        KUBECTL ?? '',
        [`--server=http://127.0.0.1:${port}`, `--cache-dir=${folder}`, ...words],
        {
          timeout: KUBECTL_MS,
          maxBuffer: 64 * 1024 * 1024,
          env: { PATH: process.env.PATH, HOME: folder, KUBECONFIG: '/dev/null', TZ: 'Asia/Kolkata' },
        },
      );
      printed.push(stdout);
    }
    return printed;
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    rmSync(folder, { recursive: true });
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

const NOT_FOUND = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };

/** What the API says at an address; undefined where there is nothing. */
function answer({ pathname, searchParams }: URL, served: Served): object | undefined {
  if (pathname === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (pathname === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: [] };
  if (pathname === '/api/v1') return RESOURCES;
  const [, namespace, resource, name] =
    /^\/api\/v1(?:\/namespaces\/([^/]+))?\/(pods|events)(?:\/([^/]+))?$/.exec(pathname) ?? [];
  if (resource !== 'pods' && resource !== 'events') return undefined;
  const wanted = [
    ...(namespace === undefined ? [] : [`metadata.namespace=${namespace}`]),
    ...(name === undefined ? [] : [`metadata.name=${name}`]),
    ...(searchParams.get('fieldSelector') ?? '').split(',').filter((field) => field !== ''),
  ];
  const items = served[resource].filter((object) => wanted.every((field) => hasField(object, field)));
  if (name !== undefined) return items[0];
  return { kind: `${KINDS[resource]}List`, apiVersion: 'v1', metadata: { resourceVersion: '1' }, items };
}

const RESOURCES = {
  kind: 'APIResourceList',
  groupVersion: 'v1',
  resources: Object.entries(KINDS).map(([name, kind]) => ({
    name,
    singularName: kind.toLowerCase(),
    namespaced: true,
    kind,
    verbs: ['get', 'list'],
  })),
};

/** Whether an object has the value of a field selector: `involvedObject.name=web`. */
function hasField(object: ApiObject, field: string): boolean {
  const [path = '', value] = field.split('=');
  const found = path
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], object);
  return found === value;
}
