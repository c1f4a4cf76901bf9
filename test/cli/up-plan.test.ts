import { existsSync, mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { upPlanSchema } from '../../lab/model/saved/up-plan.ts';
import { runCli } from './support/run-cli.ts';

let home: string;
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'whodunit-up-plan-')), 'state');
});
afterEach(() => rmSync(join(home, '..'), { recursive: true }));

describe('up --dry-run', () => {
  it('shows what a first world takes, and starts and writes nothing', async () => {
    // Without any program on the path nothing can be started.
    const { status, stdout, stderr } = await runCli(home, ['up', 'cgroup=v1', '--dry-run'], {
      PATH: '/nowhere',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('world v1: built from its image: cgroup=v1');
    expect(stdout).toMatch(/^kubernetes 1\.34\.2 +now +~8 min +from release, else gomod$/m);
    expect(stdout).toMatch(/^root file system bookworm +now +~35 s +there is none in the cache/m);
    expect(stdout).toMatch(/^already there: containerd apt, runc apt$/m);
    expect(stdout).toMatch(/^11 steps to do, 2 there, 0 not needed, about 10 min; estimates are defaults$/m);
    expect(stdout).toMatch(/^next: npx whodunit up cgroup=v1$/m);
    expect(existsSync(home)).toBe(false);
  });

  it('answers programs in its own format, with the times of earlier steps', async () => {
    mkdirSync(home);
    const past = { kind: 'component', name: 'kubernetes 1.34.2', seconds: 33.4 };
    writeFileSync(join(home, 'timings.jsonl'), `${JSON.stringify(past)}\n`);
    const { stdout } = await runCli(home, ['up', '--dry-run', '--json']);
    const plan = upPlanSchema.parse(JSON.parse(stdout));
    expect(plan).toMatchObject({ world: 'default', way: 'built', estimates: 'some-past-runs' });
    const step = (id: string) => plan.steps.find((step) => step.id === id);
    expect(step('component kubernetes')).toMatchObject({ estimateSeconds: 33, estimatedFrom: 'past-runs' });
    expect(step('root file system')).toMatchObject({ beginsAfterSeconds: 0, needs: [] });
    expect(step('world')?.needs).toEqual(['image', 'provider']);
  });

  it('refuses what up would refuse', async () => {
    const { status, stderr } = await runCli(home, ['up', 'cgroup=v1', 'os=trixie', '--dry-run']);
    expect(status).toBe(2);
    expect(stderr).toContain('rule v1-needs-memcg-v1');
  });
});
