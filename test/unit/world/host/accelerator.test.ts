import { describe, expect, it } from 'vitest';
import {
  countSubordinateIds,
  parseCpuFlag,
  type HostFacts,
} from '../../../../lab/drivers/host/host-facts.ts';
import { CommandError, HostError } from '../../../../lab/model/errors/errors.ts';
import type { Clock, RunCommand } from '../../../../lab/model/host/host.ts';
import { proveAccelerator } from '../../../../lab/world/host/accelerator.ts';
import { buildBootSector, PROOF_STATUS } from '../../../../lab/world/host/boot-sector.ts';
import { examineHost, toDoctorResult } from '../../../../lab/world/host/checks.ts';
import { prepareHost } from '../../../../lab/world/host/prepare.ts';
import { createQuietHost } from '../../../quiet-host.ts';

const clock: Clock = { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() };
const NEEDS = { memoryMiB: 2048, diskMiB: 6144 };

/** A healthy host, and what differs from it. */
function describeFacts(differences: Partial<HostFacts> = {}): HostFacts {
  return {
    nodeVersion: '20.1.0',
    userName: 'ann',
    configFolder: '/home/ann/.config',
    findCpuFlag: () => 'vmx',
    findKvmDevice: () => ({ uid: 0, gid: 107, mode: 0o660, usable: true }),
    findGroupId: () => 107,
    findTool: (name) => `/usr/bin/${name}`,
    fileExists: () => true,
    isProgramRunning: () => true,
    availableMemoryMiB: () => 16_000,
    freeDiskMiB: () => 50_000,
    freeInodes: () => undefined,
    openFilesLimit: () => 1_048_576,
    countSubordinateIds: () => 65_536,
    ...differences,
  };
}

/** A host whose programs all do well, except those that are answered here; `ran` collects the commands. */
function describeHost(uid: number, answer: (command: string) => CommandError | undefined = () => undefined) {
  const ran: string[] = [];
  const run: RunCommand = (program, args) => {
    const command = [program, ...args].join(' ');
    ran.push(command);
    const error = answer(command);
    return error === undefined
      ? Promise.resolve({ status: PROOF_STATUS, stdout: '', stderr: '' })
      : Promise.reject(error);
  };
  const folders = { stateDir: '/project/.lab', cacheDir: '/project/.lab/cache' };
  return { host: createQuietHost('/project', { run, clock, uid, gid: uid, ...folders }), ran };
}

function commandError(failure: 'exit-code' | 'timed-out' | 'killed', tail = ''): CommandError {
  return new CommandError({ command: 'x', failure, status: 1, signal: 'SIGABRT', tail });
}

async function failureOf(work: Promise<unknown>): Promise<HostError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HostError);
  return error as HostError;
}

describe('the proof of the accelerator', () => {
  it('chooses KVM when the flag is there, the device is usable, and a guest boots', async () => {
    const { host, ran } = describeHost(0);
    expect(await proveAccelerator(host, describeFacts())).toMatchObject({ accelerator: 'kvm' });
    expect(ran).toHaveLength(1);
    expect(ran[0]).toContain('-accel kvm');
  });

  it.each([
    ['the CPU shows no vmx', { findCpuFlag: () => undefined }],
    ['there is no /dev/kvm', { findKvmDevice: () => undefined }],
    ['ann may not open /dev/kvm', { findKvmDevice: () => ({ uid: 0, gid: 0, mode: 0o600, usable: false }) }],
    [
      '/dev/kvm cannot be opened: it is not a device',
      { findKvmDevice: () => ({ uid: 0, gid: 0, mode: 0o644, usable: false, broken: 'it is not a device' }) },
    ],
    [
      '/dev/kvm cannot be opened: ENXIO',
      { findKvmDevice: () => ({ uid: 0, gid: 0, mode: 0o660, usable: false, broken: 'ENXIO' }) },
    ],
  ])('falls back to emulation because %s, without trying KVM', async (reason, facts) => {
    const { host, ran } = describeHost(1000);
    const proof = await proveAccelerator(host, describeFacts(facts));
    expect(proof.accelerator).toBe('tcg');
    expect(proof.reason).toContain(reason);
    expect(ran.join()).not.toContain('-accel kvm');
  });

  it('falls back to emulation when everything speaks for KVM but no guest boots', async () => {
    const said = commandError('killed', 'qemu: error: failed to set MSR 0x10a to 0x69');
    const { host } = describeHost(0, (command) => (command.includes('-accel kvm') ? said : undefined));
    const proof = await proveAccelerator(host, describeFacts());
    expect(proof.accelerator).toBe('tcg');
    expect(proof.reason).toContain('no guest boots with KVM: qemu: error: failed to set MSR 0x10a to 0x69');
  });

  it('gives up when not even emulation boots', async () => {
    const { host } = describeHost(0, () => commandError('timed-out'));
    const error = await failureOf(proveAccelerator(host, describeFacts()));
    expect(error).toMatchObject({ code: 'LAB_QEMU', lastSeen: 'the test guest did not end within 60 s' });
  });

  it('boots a payload that is a boot sector', () => {
    expect(buildBootSector()).toHaveLength(512);
    expect(buildBootSector().subarray(510)).toEqual(Buffer.from([0x55, 0xaa]));
  });
});

describe('preparing the host', () => {
  it('does nothing on a healthy host', async () => {
    const { host, ran } = describeHost(0);
    await prepareHost(host, NEEDS, describeFacts());
    expect(ran.join('\n')).not.toMatch(/apt-get|libvirtd|systemctl/);
  });

  it('names every problem at once and changes nothing when one of them cannot be repaired', async () => {
    const { host, ran } = describeHost(0);
    const facts = describeFacts({
      availableMemoryMiB: () => 1000,
      freeDiskMiB: () => 10,
      findTool: (name) => (name === 'virsh' || name === 'xsltproc' ? undefined : `/usr/bin/${name}`),
    });
    const error = await failureOf(prepareHost(host, NEEDS, facts));
    expect(error).toMatchObject({ code: 'LAB_HOST', exitCode: 3 });
    expect(error.message).toContain('1000 MiB available, 2816 MiB needed');
    expect(error.message).toContain('10 MiB free at /project/.lab');
    expect(error.message).toContain('install -y --no-install-recommends libvirt-clients xsltproc');
    expect(ran.join('\n')).not.toContain('apt-get');
  });

  it.each([
    [
      'few inodes',
      { freeInodes: () => 49_999 },
      '49999 inodes free at /project/.lab, 49999 inodes free at /project/.lab/cache; 50000 needed',
    ],
    ['few open files', { openFilesLimit: () => 255 }, '255 open files allowed, 256 needed'],
  ])('refuses a host with %s, and says what there is and what is needed', async (_, facts, said) => {
    const error = await failureOf(prepareHost(describeHost(0).host, NEEDS, describeFacts(facts)));
    expect(error.message).toContain(`nothing was started\n  `);
    expect(error.message).toContain(said);
  });

  it('counts the translated code of an emulated guest, as the admission of its world does', async () => {
    const facts = { availableMemoryMiB: () => 3000, findKvmDevice: () => undefined };
    const error = await failureOf(prepareHost(describeHost(0).host, NEEDS, describeFacts(facts)));
    expect(error.message).toContain('3000 MiB available, 3328 MiB needed');
    await prepareHost(describeHost(0).host, NEEDS, describeFacts({ availableMemoryMiB: () => 3000 }));
  });

  it('installs missing packages as root and starts libvirt, then looks again', async () => {
    let isInstalled = false;
    const { host, ran } = describeHost(0, (command) => {
      if (command.includes('apt-get') && command.includes('install')) isInstalled = true;
      return undefined;
    });
    const facts = describeFacts({
      findTool: (name) => (name === 'virsh' && !isInstalled ? undefined : `/usr/bin/${name}`),
    });
    await prepareHost(host, NEEDS, facts);
    expect(ran.filter((command) => command.includes('install'))).toEqual([
      'env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends libvirt-clients',
    ]);
  });

  describe('of a libvirt that does not answer', () => {
    const NOTHING_RUNS = { isProgramRunning: () => false };
    const doctor = async (uid: number, failure: 'exit-code' | 'timed-out', facts: Partial<HostFacts>) => {
      const { host } = describeHost(uid, (command) =>
        command.startsWith('virsh') ? commandError(failure, 'no socket') : undefined,
      );
      const { checks } = toDoctorResult(await examineHost(host, NEEDS, describeFacts(facts)));
      return checks.find(({ name }) => name === 'libvirt');
    };
    const withoutInit = (path: string): boolean => path !== '/run/systemd/system';

    it.each([
      ['with systemd', NOTHING_RUNS],
      ['without init', { ...NOTHING_RUNS, fileExists: withoutInit }],
    ])(
      'says that `up` starts the daemons of root, which is no reason not to be ready: %s',
      async (_, facts) => {
        expect(await doctor(0, 'exit-code', facts)).toEqual({
          name: 'libvirt',
          ok: true,
          found: 'virtlogd and libvirtd are not running; npx whodunit up starts them',
        });
      },
    );

    it.each([
      ['a daemon that runs', 0, 'exit-code', {}],
      ['a virsh that hangs', 0, 'timed-out', NOTHING_RUNS],
      ['a normal user, whose daemon virsh itself starts', 1000, 'exit-code', NOTHING_RUNS],
    ] as const)('finds that a host is not ready with %s', async (_, uid, failure, facts) => {
      expect(await doctor(uid, failure, facts)).toMatchObject({ ok: false });
    });

    it('starts them before anything is made', async () => {
      let isStarted = false;
      const { host, ran } = describeHost(0, (command) => {
        isStarted ||= command.startsWith('systemctl');
        return command.startsWith('virsh') && !isStarted ? commandError('exit-code') : undefined;
      });
      await prepareHost(host, NEEDS, describeFacts({ isProgramRunning: () => isStarted }));
      expect(ran).toContain('systemctl start virtlogd libvirtd');
    });
  });

  it('asks a normal user without sudo to run one line', async () => {
    const { host } = describeHost(1000, (command) =>
      command.startsWith('sudo') ? commandError('exit-code') : undefined,
    );
    const facts = describeFacts({
      findTool: (name) => (['virsh', 'qemu-img', 'go'].includes(name) ? undefined : `/usr/bin/${name}`),
      fileExists: (path) => !path.includes('/go/'),
    });
    const error = await failureOf(prepareHost(host, NEEDS, facts));
    expect(error.message).toContain(
      'fix: sudo apt-get update && sudo apt-get install -y --no-install-recommends qemu-utils libvirt-clients golang-go\n',
    );
  });

  it('names su where there is no sudo', async () => {
    const { host, ran } = describeHost(1000);
    const facts = describeFacts({
      findTool: (name) => (['sudo', 'xsltproc'].includes(name) ? undefined : `/usr/bin/${name}`),
    });
    const error = await failureOf(prepareHost(host, NEEDS, facts));
    expect(error.message).toContain(
      "fix: su - -c 'apt-get update && apt-get install -y --no-install-recommends xsltproc'",
    );
    expect(ran.filter((command) => command.startsWith('sudo'))).toEqual([]);
  });

  it('uses sudo for a normal user when it asks for no password', async () => {
    let isInstalled = false;
    const { host, ran } = describeHost(1000, (command) => {
      if (command.includes('install')) isInstalled = true;
      return undefined;
    });
    const facts = describeFacts({
      findTool: (name) => (name === 'xsltproc' && !isInstalled ? undefined : `/usr/bin/${name}`),
    });
    await prepareHost(host, NEEDS, facts);
    expect(ran.find((command) => command.includes('install'))).toMatch(/^sudo -n env .* xsltproc$/);
  });

  it('tells a normal user who has no subordinate ids, and on a host that forbids user namespaces', async () => {
    const { host } = describeHost(1000, (command) =>
      command.startsWith('unshare') ? commandError('exit-code', 'Operation not permitted') : undefined,
    );
    const facts = describeFacts({ countSubordinateIds: () => 0 });
    const error = await failureOf(prepareHost(host, NEEDS, facts));
    expect(error.message).toContain('2 problems');
    expect(error.message).toContain(
      'sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 ann',
    );
    expect(error.message).toContain('unshare -Ur true: Operation not permitted');
  });

  it('tells a normal user whose configuration lies too deep for the sockets of libvirt, and how deep it may', async () => {
    const { host } = describeHost(1000);
    const folder = (length: number): string => `/${'x'.repeat(length - 1)}`;
    const look = (uid: number, length: number) =>
      prepareHost({ ...host, uid }, NEEDS, describeFacts({ configFolder: folder(length) }));
    const error = await failureOf(look(1000, 45));
    expect(error.message).toContain('one problem');
    expect(error.message).toMatch(
      /\/libvirt\/qemu\/lib\/domain-9999-whodunit-[0-9a-f]{8}-de\/monitor\.sock has 108 bytes/,
    );
    expect(error.message).toContain('XDG_CONFIG_HOME=<folder of at most 44 bytes>');
    await look(1000, 44);
    // As root libvirt has folders of its own; a long path in letters of two bytes counts twice.
    await look(0, 200);
    const wide = describeFacts({ configFolder: `/${'é'.repeat(22)}` });
    expect((await failureOf(prepareHost(host, NEEDS, wide))).message).toContain('has 108 bytes');
  });

  it('does not pass when the repair changed nothing', async () => {
    const { host } = describeHost(0);
    const facts = describeFacts({
      findTool: (name) => (name === 'xsltproc' ? undefined : `/usr/bin/${name}`),
    });
    expect((await failureOf(prepareHost(host, NEEDS, facts))).message).toContain('missing: xsltproc');
  });
});

describe('the facts of a host', () => {
  it('finds the flag of the CPU as a whole word in the flags alone', () => {
    expect(parseCpuFlag('model name\t: vmx\nflags\t\t: fpu vmx sse\n')).toBe('vmx');
    expect(parseCpuFlag('flags\t\t: fpu svm\n')).toBe('svm');
    expect(
      parseCpuFlag('model name\t: vmx\nflags\t\t: fpu svm_lock vmxx\nvmx flags\t: vnmi\n'),
    ).toBeUndefined();
  });

  it('adds up the ranges of a user by name and by uid', () => {
    expect(countSubordinateIds('ann:100000:65536\nbob:1:9\n1000:1:4\n', 'ann', 1000)).toBe(65_540);
    expect(countSubordinateIds('', 'ann', 1000)).toBe(0);
  });
});
