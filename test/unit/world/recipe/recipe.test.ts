import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_VARIANT, type Variant } from '../../../../lab/model/axes/axes.ts';
import { UsageError } from '../../../../lab/model/errors/errors.ts';
import { matrixSchema } from '../../../../lab/model/declared/matrix.ts';
import { readComponents } from '../../../../provision/components/components.ts';
import {
  kernelArguments,
  kubeadmConfig,
  planWorld,
  type WorldRecipe,
} from '../../../../lab/world/recipe/recipe.ts';
import { runtimeFiles } from '../../../../lab/world/recipe/runtime-files.ts';

const projectDir = process.cwd();
const matrix = matrixSchema.parse(parse(readFileSync('matrix.yaml', 'utf8')));
const catalogue = readComponents(projectDir);

function recipeOf(axes: Partial<Variant>, folder = projectDir): WorldRecipe {
  return planWorld({ ...DEFAULT_VARIANT, ...axes }, { matrix, catalogue, projectDir: folder });
}

describe('the recipe of a world', () => {
  it('boots the kernel of the suite, of another suite, or a file by its digest', () => {
    const folder = mkdtempSync(join(tmpdir(), 'whodunit-recipe-'));
    try {
      writeFileSync(join(folder, 'vmlinuz'), 'kernel');
      expect(recipeOf({ os: 'trixie' }).kernel).toEqual({ from: 'suite', suite: 'trixie' });
      expect(recipeOf({ os: 'trixie', kernel: '6.1@bookworm' }).kernel).toEqual({
        from: 'suite',
        suite: 'bookworm',
      });
      expect(recipeOf({ kernel: 'file:./vmlinuz' }, folder).kernel).toEqual({
        from: 'file',
        path: join(folder, 'vmlinuz'),
        digest: '6923dd1bc0460082c5d55a831908c24a282860b7f1cd6c2b79cf1bc8857c639c',
      });
      expect(() => recipeOf({ kernel: 'file:./missing' }, folder)).toThrow(UsageError);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('boots into cgroup v1 only where it is asked for', () => {
    const word = 'systemd.unified_cgroup_hierarchy=0';
    expect(kernelArguments(recipeOf({ cgroup: 'v1' }), 'kvm')).toContain(word);
    expect(kernelArguments(recipeOf({}), 'kvm')).not.toContain(word);
  });

  it('takes coarse timers only where it emulates', () => {
    expect(kernelArguments(recipeOf({}), 'tcg')).toContain('highres=off');
    expect(kernelArguments(recipeOf({}), 'kvm')).not.toContain('highres=off');
  });

  it('keeps the drivers of the two sides apart', () => {
    const mismatch = recipeOf({ drivers: 'cgroupfs+systemd' });
    expect(mismatch.drivers).toEqual({ kubelet: 'cgroupfs', runtime: 'systemd' });
    expect(kubeadmConfig(mismatch)).toContain('cgroupDriver: cgroupfs');
  });

  it('writes the settings of a knob into the configuration of the kubelet', () => {
    expect(kubeadmConfig(recipeOf({ knobs: 'qps-5' }))).toMatch(/^kubeAPIQPS: 5$/m);
    expect(kubeadmConfig(recipeOf({}))).not.toMatch(/kubeAPIQPS/);
  });

  it('names the release of a local kubelet, which the control plane runs', () => {
    expect(recipeOf({ kubernetes: '1.34.2@file:./kubelet' }).kubernetes).toBe('1.34.2');
  });

  it('configures containerd for the driver that is asked for, and gVisor where workloads run under it', () => {
    const image = { versions: { containerd: '1.6.20~ds1' }, images: ['registry.k8s.io/pause:3.10'] };
    const [runc, ...none] = runtimeFiles(recipeOf({}), image, 'cgroupfs');
    expect(runc?.text).toContain('SystemdCgroup = false');
    expect(none).toEqual([]);
    const gvisor = recipeOf({ runtime: 'runsc@20230927+systemd-cgroup' });
    const [config, shim] = runtimeFiles(gvisor, image, 'systemd');
    expect(config?.text).toContain('io.containerd.runsc.v1');
    expect(shim?.text).toContain('systemd-cgroup = "true"');
    const [debian, ...noShim] = runtimeFiles(recipeOf({ runtime: 'runsc@apt' }), image, 'systemd');
    expect(debian?.text).toContain('BinaryName = "/usr/bin/runsc"');
    expect(noShim).toEqual([]);
  });

  it.each([
    ['runc', []],
    ['runc@1.1.12', ['/usr/local/lib/whodunit/under-test/runc']],
    ['runc@1.1.12+everywhere', []],
    ['crun', ['/usr/bin/crun']],
    ['youki@0.5.7', ['/usr/local/bin/youki']],
  ])('gives the workloads of %s a handler of their own where only they run under it', (runtime, programs) => {
    const image = { versions: { containerd: '2.1.4' }, images: ['registry.k8s.io/pause:3.10'] };
    const [config] = runtimeFiles(recipeOf({ runtime }), image, 'systemd');
    const named = [...(config?.text ?? '').matchAll(/BinaryName = "(.*)"/g)].map(([, program]) => program);
    expect(named).toEqual(programs);
  });
});
