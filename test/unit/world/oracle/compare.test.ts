import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_VARIANT, type Variant } from '../../../../lab/model/axes/axes.ts';
import { RUNC_UNDER_TEST_PATH } from '../../../../lab/model/components/under-test.ts';
import type { EffectiveNode } from '../../../../lab/model/saved/effective.ts';
import { matrixSchema } from '../../../../lab/model/declared/matrix.ts';
import { readComponents } from '../../../../provision/components/components.ts';
import { isKillLoop } from '../../../../lab/model/axes/drivers.ts';
import { compareNode, sameSetting, saysVersion } from '../../../../lab/world/oracle/compare.ts';
import { driversInEffect, planExpected, type Expected } from '../../../../lab/world/oracle/expected.ts';
import {
  classifyPlacement,
  findCgroupPath,
  nodeFactsScript,
  parseNodeFacts,
} from '../../../../lab/world/oracle/parse-node.ts';
import { planWorld } from '../../../../lab/world/recipe/recipe.ts';
import { withRuntimeClass } from '../../../../lab/world/settle/runtime-class.ts';

const projectDir = process.cwd();
const matrix = matrixSchema.parse(parse(readFileSync('matrix.yaml', 'utf8')));
const catalogue = readComponents(projectDir);
const BOOKWORM = { kernel: '6.1.0-42-cloud-amd64', kubelet: '1.34.2', containerd: '1.6.20~ds1' };

function expectedOf(
  axes: Partial<Variant>,
  versions: Record<string, string> = BOOKWORM,
  programs: Record<string, string> = {},
): Expected {
  return planExpected(
    planWorld({ ...DEFAULT_VARIANT, ...axes }, { matrix, catalogue, projectDir }),
    matrix,
    versions,
    'tcg',
    programs,
  );
}

/** What the script prints in a node of the default variant; hand-written after its form. */
const PRINTED = `== cgroup
cgroup2fs
== kernel
6.1.0-42-cloud-amd64
== arguments
root=/dev/vda rw console=ttyS0 net.ifnames=0 mitigations=off log_buf_len=8M highres=off
== systemd
systemd 252 (252.39-1~deb12u1)
== runc
runc version 1.1.5+ds1
== runsc
== kubepods
kubepods.slice
== sysctl
vm.overcommit_memory 1
== place-kube-proxy
0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podab_c.slice/cri-containerd-0123.scope
== place-runsc
== runsc-config
== containerd-config
version = 2
[plugins]
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes]
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = true
  [plugins."io.containerd.grpc.v1.cri".containerd.untrusted_workload_runtime]
    SystemdCgroup = false
`;

/** What the node's status says of the programs that run. */
const RUNNING = { kubelet: 'v1.34.2', containerd: '1.6.20~ds1' };

function nodeOf(printed: string, settings: Record<string, unknown>, running = RUNNING): EffectiveNode {
  const { kubeletDriver, ...facts } = parseNodeFacts(printed);
  const kubelet = { driver: kubeletDriver, settings: settings as never };
  return { name: 'node-1', ...facts, versions: { ...facts.versions, ...running }, kubelet };
}

const SETTINGS = {
  cgroupDriver: 'systemd',
  imageGCHighThresholdPercent: 100,
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '5%', 'nodefs.inodesFree': '5%' },
  nodeLeaseDurationSeconds: 8,
};

describe('the comparison of a world with its variant', () => {
  it('finds nothing in a node that is as declared', () => {
    expect(compareNode(expectedOf({}), nodeOf(PRINTED, SETTINGS))).toEqual([]);
  });

  it.each([
    ['cgroup2fs', 'tmpfs', 'type of /sys/fs/cgroup'],
    ['6.1.0-42-cloud-amd64', '6.12.1-cloud-amd64', 'version of kernel'],
    [
      '        SystemdCgroup = true',
      '        SystemdCgroup = false',
      "SystemdCgroup of containerd's handler runc",
    ],
    ['kubepods.slice\n== sysctl', 'kubepods\n== sysctl', "kubelet's cgroup driver in effect"],
    ['mitigations=off', '', 'kernel command line'],
    ['0::/kubepods.slice/', '0::/system.slice/', 'place of kube-proxy'],
  ])('names what differs: %s read as %s', (declared, found, what) => {
    const differences = compareNode(expectedOf({}), nodeOf(PRINTED.replace(declared, found), SETTINGS));
    expect(new Set(differences.map((difference) => difference.what))).toEqual(new Set([what]));
  });

  it.each([
    ['kubelet', 'v1.34.20'],
    ['containerd', '1.7.27'],
  ])('names another %s that runs', (program, version) => {
    const node = nodeOf(PRINTED, SETTINGS, { ...RUNNING, [program]: version });
    expect(compareNode(expectedOf({}), node).map((difference) => difference.what)).toEqual([
      `version of ${program}`,
    ]);
  });

  it('names a knob that the kubelet does not use, and one that it does is none', () => {
    const expected = expectedOf({ knobs: 'single-process-oom' });
    const what = (settings: Record<string, unknown>): string[] =>
      compareNode(expected, nodeOf(PRINTED, settings)).map((difference) => difference.what);
    expect(what(SETTINGS)).toEqual(['kubelet setting singleProcessOOMKill']);
    expect(what({ ...SETTINGS, singleProcessOOMKill: true })).toEqual([]);
  });

  it.each([
    ['== programs\nrunc aa  -\n', []],
    ['== programs\nrunc bb  -\n', ['sha256 bb']],
    ['== programs\n', ['nothing']],
  ])('compares the bytes of a program of somebody’s own: %j', (section, found) => {
    const expected = expectedOf({}, BOOKWORM, { runc: 'aa' });
    const differences = compareNode(expected, nodeOf(PRINTED + section, SETTINGS));
    expect(differences.map((difference) => difference.found)).toEqual(found);
  });

  it.each<[string, Partial<Variant>, string[]]>([
    ['is as declared', { runtime: 'runc@1.4.3' }, []],
    ['has another version', { runtime: 'runc@1.4.2' }, ['version of runc-under-test']],
    ['is to run the control plane too', { runtime: 'runc@1.4.3+everywhere' }, ['version of runc']],
    [
      'has another driver',
      { runtime: 'runc@1.4.3', drivers: 'systemd+cgroupfs' },
      [
        "SystemdCgroup of containerd's handler runc",
        "SystemdCgroup of containerd's handler runc-under-test",
        'place of kube-proxy',
      ],
    ],
  ])('reads back a runc beside that of the node, which %s', (_, axes, what) => {
    const runtimes = '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes';
    const handler = `${runtimes}.runc-under-test]
  runtime_type = "io.containerd.runc.v2"
${runtimes}.runc-under-test.options]
  BinaryName = "/usr/local/lib/whodunit/under-test/runc"
  SystemdCgroup = true
`;
    const printed = PRINTED.replace('== runsc\n', '== runc-under-test\nrunc version 1.4.3\n== runsc\n');
    const node = nodeOf(printed + handler, SETTINGS);
    expect(node.versions).toMatchObject({ runc: '1.1.5+ds1', 'runc-under-test': '1.4.3' });
    const differences = compareNode(expectedOf(axes), node);
    expect(differences.map((difference) => difference.what)).toEqual(what);
  });

  it('misses the handler of a runc under test, and its bytes', () => {
    const expected = expectedOf({ runtime: 'runc@file:./runc' }, BOOKWORM, { 'runc-under-test': 'aa' });
    const differences = compareNode(expected, nodeOf(PRINTED, SETTINGS));
    expect(differences.map((difference) => difference.what)).toEqual([
      'bytes of runc-under-test',
      "BinaryName of containerd's handler runc-under-test",
      "SystemdCgroup of containerd's handler runc-under-test",
    ]);
  });

  it('looks for a runc under test where it is put', () => {
    const script = nodeFactsScript(expectedOf({}, BOOKWORM, { 'runc-under-test': 'aa' }));
    const [, loop = ''] = /section programs\n(for [^]*?\ndone\n)/.exec(script) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'under-test-'));
    try {
      const program = join(folder, 'runc');
      writeFileSync(program, 'a runc', { mode: 0o755 });
      const there = loop.replace(RUNC_UNDER_TEST_PATH, program);
      const sha256 = createHash('sha256').update('a runc').digest('hex');
      const run = (text: string): string => execFileSync('bash', ['-c', text], { encoding: 'utf8' });
      expect(run(there)).toBe(`runc-under-test ${sha256}  -\n`);
      expect(run(loop)).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads back programs by their bytes, from where they are found first', () => {
    const [, loop = ''] =
      /section programs\n(for [^]*?\ndone\n)/.exec(
        nodeFactsScript(expectedOf({}, BOOKWORM, { bash: '', none: '' })),
      ) ?? [];
    const path = execFileSync('bash', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim();
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    const printed = execFileSync('bash', ['-c', loop], { encoding: 'utf8' });
    expect(parseNodeFacts(`== programs\n${printed}`).programs).toEqual({ bash: sha256 });
  });

  it('names a sysctl that was reset', () => {
    const expected = expectedOf({ knobs: 'overcommit-2' });
    const whats = compareNode(expected, nodeOf(PRINTED, SETTINGS)).map((difference) => difference.what);
    expect(whats).toContain('sysctl vm.overcommit_memory');
  });
});

describe('what a variant must turn out to be', () => {
  it('expects containers outside the slices of the pods under a driver mismatch', () => {
    const expected = expectedOf({ drivers: 'systemd+cgroupfs' });
    expect(expected.placements['kube-proxy']).toBe('outside');
    expect(expected.kubelet.driver).toBe('systemd');
    expect(expected.healed).toBeUndefined();
  });

  it('declares the healing of a mismatch where the kubelet asks containerd', () => {
    const versions = { ...BOOKWORM, containerd: 'v2.1.4' };
    const expected = expectedOf({ drivers: 'systemd+cgroupfs', containerd: '2.1.4' }, versions);
    expect(expected.kubelet.driver).toBe('cgroupfs');
    expect(expected.placements['kube-proxy']).toBe('cgroupfs');
    expect(expected.healed).toContain('cgroupfs');
  });

  it('takes the real versions, not the names of the variant', () => {
    const recipe = planWorld(
      { ...DEFAULT_VARIANT, drivers: 'systemd+cgroupfs' },
      { matrix, catalogue, projectDir },
    );
    const newer = { kubelet: '1.34.2', containerd: '2.0.5' };
    expect(driversInEffect(recipe, matrix, newer)).toEqual({ kubelet: 'cgroupfs', runtime: 'cgroupfs' });
  });

  it('expects restarts of the control plane of one pair on v2 alone', () => {
    const pairs = (['systemd', 'cgroupfs'] as const).flatMap((kubelet) =>
      (['systemd', 'cgroupfs'] as const).map((runtime) => ({ kubelet, runtime })),
    );
    expect(pairs.filter((pair) => isKillLoop(pair, 'v2'))).toEqual([
      { kubelet: 'systemd', runtime: 'cgroupfs' },
    ]);
    expect(pairs.filter((pair) => isKillLoop(pair, 'v1'))).toEqual([]);
  });
});

describe('the reading of a node', () => {
  it.each([
    ['/kubepods.slice/kubepods-pod1.slice/cri-containerd-ab.scope', 'systemd'],
    ['/kubepods/burstable/pod1-2/ab', 'cgroupfs'],
    ['/system.slice/kubepods-burstable-pod1.slice:cri-containerd:ab', 'outside'],
    ['/system.slice/containerd.service/kubepods-burstable-pod1.slice:cri-containerd:ab', 'outside'],
    ['/system.slice/containerd.service', 'unknown'],
  ])('says which driver made %s: %s', (path, placement) => {
    expect(classifyPlacement(path)).toBe(placement);
  });

  it('takes the memory hierarchy of cgroup v1, also beside an empty v2 one', () => {
    expect(findCgroupPath('12:pids:/a\n3:cpu,memory:/b\n0::/c\n')).toBe('/b');
    expect(findCgroupPath('0::/c\n')).toBe('/c');
    expect(findCgroupPath('')).toBeUndefined();
  });

  it('says a version only for the whole of it', () => {
    expect(saysVersion('1.6.20~ds1', '1.6.20')).toBe(true);
    expect(saysVersion('1.6.20~ds1', '1.6.2')).toBe(false);
    expect(saysVersion('11.6.20', '1.6.20')).toBe(false);
    expect(saysVersion('6.1.0-42-cloud-amd64', '6.1')).toBe(true);
  });

  it('knows a duration in another writing, and what is off by being left out', () => {
    expect(sameSetting('1m', '1m0s')).toBe(true);
    expect(sameSetting('1m', '1m1s')).toBe(false);
    expect(sameSetting(false, undefined)).toBe(true);
    expect(sameSetting(true, undefined)).toBe(false);
    expect(sameSetting({ a: 1 }, { a: 1, b: 2 })).toBe(true);
    expect(sameSetting({ a: 1 }, { a: 2 })).toBe(false);
  });
});

describe('the RuntimeClass of workloads', () => {
  it('is set where the pod template is, in the namespace of the victim alone', () => {
    const spec = { containers: [] };
    const pod = { kind: 'Pod', metadata: { name: 'a' }, spec };
    const cron = { kind: 'CronJob', spec: { jobTemplate: { spec: { template: { spec } } } } };
    expect(withRuntimeClass(pod, 'default', 'runsc')).toMatchObject({ spec: { runtimeClassName: 'runsc' } });
    expect(withRuntimeClass(cron, 'default', 'runsc')).toMatchObject({
      spec: { jobTemplate: { spec: { template: { spec: { runtimeClassName: 'runsc', containers: [] } } } } },
    });
    expect(withRuntimeClass(pod, 'other', 'runsc')).toBe(pod);
    expect(withRuntimeClass({ kind: 'Service' }, 'default', 'runsc')).toEqual({ kind: 'Service' });
  });

  it('stays as the scenario wrote it where it wrote one', () => {
    const pod = { kind: 'Pod', spec: { runtimeClassName: 'runc' } };
    expect(withRuntimeClass(pod, 'default', 'runsc')).toEqual(pod);
  });
});
