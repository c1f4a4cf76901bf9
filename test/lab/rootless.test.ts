import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoctorResult } from '../../lab/model/saved/doctor.ts';
import type { WorldRecord } from '../../lab/world/world-record.ts';
import { createLabOf, type TestLab } from './lab-process.ts';
import { expectNothingLeft, expectOwnMachine, readWorld, SESSION } from './rootless-traces.ts';
import { hasMinutes } from './time-left.ts';
import { createTestUser, findProcessesOf, type TestUser } from './test-user.ts';

const isRoot = process.getuid?.() === 0;

// What runs inside the node is the same as for root: the part `nightly` goes on to a verdict.
describe.skipIf(!isRoot || !hasMinutes(4))('a world of a normal user (needs root, and some minutes)', () => {
  let user: TestUser;
  let lab: TestLab;
  let world: WorldRecord;

  beforeAll(async () => {
    user = await createTestUser('whodunit-test', 'image');
    lab = createLabOf(user);
  });

  afterAll(async () => {
    await user.remove();
  });

  it('finds a host that is ready', async () => {
    const doctor = await lab.run('doctor', '--json');
    expect(doctor.status, doctor.stdout).toBe(0);
    const { checks } = JSON.parse(doctor.stdout) as DoctorResult;
    expect(checks.find((check) => check.name === 'libvirt')?.found).toBe(`${SESSION} answers`);
  });

  it('is a machine of the user, which answers; an interrupt removes it', async () => {
    const started = lab.start('up', '--json');
    await new Promise<void>((resolve, reject) => {
      let told = '';
      started.child.stderr?.on('data', (chunk: Buffer) => {
        told += chunk.toString();
        if (told.includes('→ kubeadm init')) resolve();
      });
      void started.finished.then(({ stderr }) => reject(new Error(stderr)));
    });
    world = readWorld(lab);
    await expectOwnMachine(user, world);
    const [pid] = [...findProcessesOf(user.uid)].find(([, line]) => line.includes('whodunit.mjs up')) ?? [];
    process.kill(pid ?? NaN, 'SIGINT');
    const ended = await started.finished;
    expect(ended.status, ended.stderr).toBe(130);
  });

  it('leaves no domain, pool, process, port, file or lease after `whodunit down --all`', async () => {
    const down = await lab.run('down', '--all');
    expect(down.status, down.stderr).toBe(0);
    await expectNothingLeft(user, lab, world);
  });
});
