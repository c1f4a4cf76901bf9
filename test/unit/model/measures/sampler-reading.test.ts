import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isOfApi,
  renderReading,
  samplerReadingSchema,
} from '../../../../lab/model/measures/sampler-reading.ts';

const METRICS = `# HELP container_oom_events_total Count of out of memory events
# TYPE container_oom_events_total counter
container_oom_events_total{container="eater",id="/a b",namespace="default"} 2 1760000000000
container_oom_events_total{container="eater",id="/c",namespace="default"} 1 1760000000000
container_oom_events_total{container="other",id="/d",namespace="default"} 40 1760000000000
container_oom_events_total_more{container="eater"} 500
kubelet_running_pods 7
big_number 1.5e+09
quoted{path="a\\"b'c/[d]"} 3
`;

let folder: string;
let server: Server;
let port: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reading-'));
  server = createServer((request, response) => {
    response.statusCode = request.url === '/metrics' ? 200 : 404;
    response.end(METRICS);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  const own = join(folder, 'v2/kubepods.slice/own');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(folder, 'v2/cgroup.controllers'), 'memory\n');
  writeFileSync(join(own, 'memory.swap.current'), '4096\n');
  writeFileSync(join(own, 'memory.max'), 'max\n');
  writeFileSync(join(own, 'memory.events'), 'low 0\noom_kill 3\n');
  mkdirSync(join(folder, 'v1/memory/kubepods'), { recursive: true });
  writeFileSync(join(folder, 'v1/memory/kubepods/memory.failcnt'), '12\n');
  // It says what it was asked for, and answers as the API does.
  const kubectl = `#!/bin/bash
printf '%s\\n' "$*" >> ${folder}/asked
case $* in
  *--raw*) cat ${folder}/metrics ;;
  *jsonpath*) printf 'starter 4\\nside 1\\n' ;;
  *none*) ;;
  *refused*) echo 'error: forbidden' >&2; exit 1 ;;
  *) printf 'pod/a\\npod/b\\n' ;;
esac
`;
  writeFileSync(join(folder, 'kubectl'), kubectl);
  writeFileSync(join(folder, 'metrics'), METRICS);
  chmodSync(join(folder, 'kubectl'), 0o755);
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const read = async (reading: object, env: Record<string, string> = {}, before = ''): Promise<string> => {
  const script = before + renderReading(samplerReadingSchema.parse({ measure: 'found', ...reading }));
  const whole = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, CGROUP_ROOT: `${folder}/v2`, ...env };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: whole });
  return stdout.trim();
};

describe('a sampler without a script of its own', () => {
  const victim = { VICTIM_CGROUP: '/kubepods.slice/own' };
  const local = (name: string, labels = {}, absent?: number): object => ({
    metric: { of: `http://127.0.0.1:${port}/metrics`, name, labels, absent },
  });

  it.each<[string, () => object, Record<string, string>, string]>([
    [
      'a file of the cgroup of the victim',
      () => ({ cgroup: { file: 'memory.swap.current' } }),
      victim,
      'found 4096',
    ],
    [
      'a line of such a file',
      () => ({ cgroup: { file: 'memory.events', key: 'oom_kill' } }),
      victim,
      'found 3',
    ],
    ['nothing where there is no limit', () => ({ cgroup: { file: 'memory.max' } }), victim, ''],
    ['nothing while there is no victim', () => ({ cgroup: { file: 'memory.swap.current' } }), {}, ''],
    [
      'a file of another cgroup, on cgroup v1',
      () => ({ cgroup: { file: 'memory.failcnt', cgroup: '/kubepods' } }),
      { CGROUP_ROOT: 'v1' },
      'found 12',
    ],
    [
      'all series of a metric with a label',
      () => local('container_oom_events_total', { container: 'eater' }),
      {},
      'found 3.000000',
    ],
    [
      'one series of a metric',
      () => local('container_oom_events_total', { container: 'eater', id: '/a b' }),
      {},
      'found 2.000000',
    ],
    ['a metric without labels', () => local('kubelet_running_pods'), {}, 'found 7.000000'],
    ['a large number', () => local('big_number'), {}, 'found 1500000000.000000'],
    [
      'a label with letters that a pattern knows',
      () => local('quoted', { path: 'a"b\'c/[d]' }),
      {},
      'found 3.000000',
    ],
    ['nothing of a metric that is not there', () => local('kubelet_running'), {}, ''],
    [
      'a metric of the kubelet',
      () => ({ metric: { of: 'kubelet/cadvisor', name: 'kubelet_running_pods' } }),
      {},
      'found 7.000000',
    ],
    ['how many objects there are', () => ({ objects: { kind: 'pods', selector: 'app=a' } }), {}, 'found 2'],
    ['no objects', () => ({ objects: { kind: 'none', namespace: 'default' } }), {}, 'found 0'],
    ['the restarts of a container', () => ({ restarts: 'default/starter/starter' }), {}, 'found 4'],
  ])('reads %s', async (_, reading, env, printed) => {
    const root = env['CGROUP_ROOT'] === undefined ? {} : { CGROUP_ROOT: join(folder, env['CGROUP_ROOT']) };
    expect(await read(reading(), { ...env, ...root })).toBe(printed);
  });

  it('counts a metric that is not there as it was told to', async () => {
    expect(await read(local('kubelet_running', {}, 0))).toBe('found 0');
    expect(await read(local('kubelet_running_pods', {}, 0))).toBe('found 7.000000');
  });

  it('reads more than a sampler may write to a file', async () => {
    writeFileSync(
      join(folder, 'metrics'),
      `${METRICS}${'# some other metric of the same kubelet\n'.repeat(5000)}`,
    );
    const reading = { metric: { of: 'kubelet/cadvisor', name: 'kubelet_running_pods' } };
    // As provision/guest/sampling.sh does it.
    expect(await read(reading, {}, 'ulimit -f 64\n')).toBe('found 7.000000');
    writeFileSync(join(folder, 'metrics'), METRICS);
  });

  it('reads the swap of this machine', async () => {
    const pages = Number(/^pswpout (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1]);
    expect(await read({ swap: 'out' })).toMatch(/^found \d+\.\d{3}$/);
    expect(Number((await read({ swap: 'out' })).split(' ')[1])).toBeGreaterThanOrEqual(pages / 1024);
  });

  it('asks the API for just that', async () => {
    await read({ metric: { of: 'kubelet/cadvisor', name: 'x' } });
    await read({ restarts: 'default/starter/starter' });
    const asked = readFileSync(join(folder, 'asked'), 'utf8');
    expect(asked).toMatch(/get --raw \/api\/v1\/nodes\/[^/\s]+\/proxy\/metrics\/cadvisor\n/);
    expect(asked).toContain('get pod starter --namespace default --ignore-not-found --output jsonpath=');
  });

  it.each<[string, () => object]>([
    ['nobody answers', () => ({ metric: { of: 'http://127.0.0.1:1/metrics', name: 'x' } })],
    ['the answer is another one', () => ({ metric: { of: `http://127.0.0.1:${port}/none`, name: 'x' } })],
    ['the API refuses', () => ({ objects: { kind: 'refused' } })],
    ['the file is not there', () => ({ cgroup: { file: 'memory.none', cgroup: '/kubepods.slice/own' } })],
  ])('fails where %s, which voids its measure', async (_, reading) => {
    await expect(read(reading())).rejects.toMatchObject({ code: expect.any(Number) as number });
  });

  it.each<[string, object, boolean]>([
    ['the API', { objects: { kind: 'pods' } }, true],
    ['the kubelet through the API', { metric: { of: 'kubelet', name: 'x' } }, true],
    ['an address', { metric: { of: 'http://127.0.0.1:9100/metrics', name: 'x' } }, false],
    ['a cgroup', { cgroup: { file: 'memory.max' } }, false],
  ])('is asked on the first node only if it reads %s', (_, reading, expected) => {
    expect(isOfApi({ measure: 'found', ...reading })).toBe(expected);
  });

  it.each<[string, object]>([
    ['nothing', {}],
    ['two things', { swap: 'in', objects: { kind: 'pods' } }],
    ['an address with TLS', { metric: { of: 'https://127.0.0.1/metrics', name: 'x' } }],
    ['a file above the cgroup', { cgroup: { file: 'memory.max', cgroup: '/../etc' } }],
    ['a command', { objects: { kind: 'pods; reboot' } }],
  ])('is refused when it reads %s', (_, reading) => {
    expect(samplerReadingSchema.safeParse({ measure: 'found', ...reading }).success).toBe(false);
  });
});
