import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  planGuestPrograms,
  planReplacedPackages,
  readGuestFiles,
  renderGuestFiles,
} from '../../../../provision/image/guest-files.ts';
import { PROJECT } from '../../project-files.ts';

describe('guest files', () => {
  const files = readGuestFiles(join(PROJECT, 'provision/guest/files'));

  it('leave no placeholder once the pause image is known', () => {
    const rendered = renderGuestFiles(files, 'registry.k8s.io/pause:3.10.1');
    const containerd = rendered.find((file) => file.path === 'etc/containerd/config.toml');
    expect(containerd?.text).toContain('sandbox_image = "registry.k8s.io/pause:3.10.1"');
    expect(rendered.filter((file) => /@[A-Z_]+@/.test(file.text))).toEqual([]);
  });

  it('let nobody log in with a password', () => {
    const sshd = files.find((file) => file.path === 'etc/ssh/sshd_config.d/whodunit.conf');
    // Debian reads this folder first, and sshd takes the first value of a setting.
    expect(sshd?.text.split('\n')).toEqual(
      expect.arrayContaining(['PasswordAuthentication no', 'PermitRootLogin prohibit-password']),
    );
  });

  it('never limit what the journal takes, because it is evidence', () => {
    const journald = files.find((file) => file.path === 'etc/systemd/journald.conf.d/whodunit.conf');
    expect(journald?.text).toContain('RateLimitBurst=0');
  });

  it('put network plugins where containerd looks for them', () => {
    const plan = planGuestPrograms(new Map([['bridge', '/host/bridge']]));
    const binDir = /bin_dir = "\/(.*)"/.exec(
      files.find((f) => f.path === 'etc/containerd/config.toml')!.text,
    )![1];
    expect(plan.get('/host/bridge')).toBe(`${binDir}/bridge`);
  });

  it('put a component in the place of the package, whose own programs then go', () => {
    const names = ['containerd', 'ctr', 'runc', 'runc-under-test', 'runsc'];
    const programs = new Map(names.map((name) => [name, `/host/${name}`]));
    expect(planGuestPrograms(programs)).toEqual(
      new Map([
        ['/host/containerd', 'usr/bin/containerd'],
        ['/host/ctr', 'usr/bin/ctr'],
        ['/host/runc', 'usr/sbin/runc'],
        ['/host/runc-under-test', 'usr/local/lib/whodunit/under-test/runc'],
        ['/host/runsc', 'usr/local/bin/runsc'],
      ]),
    );
    expect(planReplacedPackages(programs)).toEqual(['containerd', 'runc']);
    expect(planReplacedPackages(new Map([['runsc', '/host/runsc']]))).toEqual([]);
  });
});
