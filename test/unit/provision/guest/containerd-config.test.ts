import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderContainerdConfig, renderRunscConfig } from '../../../../provision/guest/containerd-config.ts';
import { parseHandlers } from '../../../../lab/world/oracle/parse-node.ts';

const settings = { pauseImage: 'registry.k8s.io/pause:3.10', systemdCgroup: true };

describe("containerd's configuration", () => {
  it('is a file of version 2 for containerd 1.x', () => {
    const text = renderContainerdConfig({ ...settings, version: '1.6.20~ds1' });
    expect(text).toMatch(/^version = 2$/m);
    expect(text).toContain('sandbox_image = "registry.k8s.io/pause:3.10"');
    expect(text).toContain(
      '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]\n  SystemdCgroup = true',
    );
  });

  it('is a file of version 3 for containerd 2.x, without a field that 2.1 renamed', () => {
    const text = renderContainerdConfig({ ...settings, version: 'v2.1.4' });
    expect(text).toMatch(/^version = 3$/m);
    expect(text).toContain(
      `[plugins.'io.containerd.cri.v1.images'.pinned_images]\n  sandbox = "registry.k8s.io/pause:3.10"`,
    );
    expect(text).not.toMatch(/bin_dir|grpc\.v1\.cri/);
  });

  it('is what the image has already for the default variant, so that containerd need not be restarted', () => {
    const baked = readFileSync('provision/guest/files/etc/containerd/config.toml', 'utf8');
    const wanted = renderContainerdConfig({ ...settings, pauseImage: '@PAUSE_IMAGE@', version: '1.6.20' });
    expect(baked).toBe(wanted);
  });

  it.each([
    ['1.4.13~ds1', true],
    ['v1.5.11', true],
    ['1.6.2', true],
    ['1.6.20~ds1', true],
    ['v2.1.4', false],
  ])('turns AppArmor off where containerd would use it without its parser: %s', (version, off) => {
    const text = renderContainerdConfig({ ...settings, version });
    expect(/^ {2}disable_apparmor = true$/m.test(text)).toBe(off);
  });

  it('refuses a version that it cannot read', () => {
    expect(() => renderContainerdConfig({ ...settings, version: 'apt' })).toThrow(RangeError);
  });

  it.each(['1.4.13', '2.2.3'])('has a handler for gVisor with its own shim: containerd %s', (version) => {
    const text = renderContainerdConfig({
      ...settings,
      version,
      runsc: { systemdCgroup: true, shim: 'runsc' },
    });
    const handlers = parseHandlers(text, renderRunscConfig({ systemdCgroup: true }));
    expect(handlers).toEqual({
      runc: { runtime_type: 'io.containerd.runc.v2', SystemdCgroup: 'true' },
      runsc: {
        runtime_type: 'io.containerd.runsc.v1',
        ConfigPath: '/etc/containerd/runsc.toml',
        'systemd-cgroup': 'true',
      },
    });
  });

  it.each([
    ['2.1.4', 'crun', '/usr/bin/crun', true],
    ['1.6.20~ds1', 'runc-under-test', '/usr/local/lib/whodunit/under-test/runc', false],
    ['2.4.2', 'runc-under-test', '/usr/local/lib/whodunit/under-test/runc', true],
  ])(
    'has a handler for another program of workloads, with the same driver: containerd %s, %s',
    (version, name, program, systemdCgroup) => {
      const text = renderContainerdConfig({
        ...settings,
        version,
        systemdCgroup,
        beside: { name, program },
      });
      const driver = String(systemdCgroup);
      expect(parseHandlers(text, '')).toEqual({
        runc: { runtime_type: 'io.containerd.runc.v2', SystemdCgroup: driver },
        [name]: { runtime_type: 'io.containerd.runc.v2', BinaryName: program, SystemdCgroup: driver },
      });
      expect(text).toContain('default_runtime_name = "runc"');
    },
  );

  it("runs Debian's runsc through the shim of runc", () => {
    const text = renderContainerdConfig({
      ...settings,
      version: '1.6.20',
      runsc: { systemdCgroup: false, shim: 'runc' },
    });
    expect(parseHandlers(text, '')['runsc']).toEqual({
      runtime_type: 'io.containerd.runc.v2',
      BinaryName: '/usr/bin/runsc',
      SystemdCgroup: 'false',
    });
  });

  it('does not mention systemd-cgroup where it is not asked for, as on the nodes of the reports', () => {
    expect(renderRunscConfig({ systemdCgroup: false })).not.toContain('systemd-cgroup');
  });
});
