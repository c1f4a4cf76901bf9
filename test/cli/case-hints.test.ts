import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caseSchema } from '../../lab/model/saved/case.ts';
import { copyProject } from './support/project-copy.ts';
import { runCli } from './support/run-cli.ts';

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-case-hints-'));
  home = join(folder, 'state');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('whodunit case --run --dry-run', () => {
  it('plans the candidates of a report on its variant, cheapest first, and stages nothing', async () => {
    const report = join(folder, 'report.md');
    writeFileSync(report, '# It dies\n\nkubelet v1.34.2, exit code 137, Reason: OOMKilled, cgroup v1\n');
    const { status, stdout, stderr } = await runCli(home, ['case', report, '--run', '--dry-run', '--json']);
    expect(status, stderr).toBe(0);
    const { planned = [], tried, next } = caseSchema.parse(JSON.parse(stdout));
    const costs = planned.map(({ estimateSeconds = Infinity }) => estimateSeconds);
    expect(planned.length).toBeGreaterThan(0);
    expect(costs).toEqual(costs.toSorted((one, other) => one - other));
    // What is compared with the report, and a neighbour.
    expect(planned.filter(({ addresses }) => addresses.length < 2)).toEqual([]);
    expect([tried, next.endsWith('--run')]).toEqual([undefined, true]);
  });
});

describe('a report of a preStop hook', () => {
  it('leads to the scenario that has one, and to its plan', async () => {
    const report = join(folder, 'report.md');
    writeFileSync(
      report,
      '# The pod is stuck in its preStop hook\n\nThe preStop hook outlasts the grace period, exit code 137.\n',
    );
    const { status, stdout, stderr } = await runCli(home, ['case', report, '--run', '--dry-run', '--json']);
    expect(status, stderr).toBe(0);
    const { candidates, planned = [] } = caseSchema.parse(JSON.parse(stdout));
    // The bug that is staged by it may come first.
    expect(candidates.slice(0, 2)).toContainEqual(
      expect.objectContaining({ kind: 'scenario', name: 'pre-stop-hook' }),
    );
    const plan = planned.find(({ candidate }) => candidate === 'pre-stop-hook');
    expect(plan?.addresses[0]).toBe('default/pre-stop-hook');
    expect(plan?.refused).toBeUndefined();
  });
});

describe('hints', () => {
  it('of new bug <link> do not propose a scenario', async () => {
    const { stderr, status } = await runCli(home, ['new', 'bug', 'https://']);
    expect(stderr).not.toContain('new scenario');
    expect(status).toBe(2);
  });

  it('of bugs <words> are bugs', async () => {
    const { stdout, stderr, status } = await runCli(home, ['bugs', 'oom']);
    expect(stderr).toBe('');
    expect(stdout).toContain('oom-reported-as-error');
    expect(status).toBe(0);
  });

  it('of why <folder> name the folder', async () => {
    const { stderr } = await runCli(home, ['why', folder]);
    expect(stderr).not.toContain('there is no finished run yet');
  });

  it('of a scenario without tags: it is not in the set of deaths', async () => {
    const project = copyProject(folder);
    await project.run(['new', 'scenario', 'my-scenario']);
    const { stdout } = await project.run(['list', 'set=deaths']);
    expect(stdout).toContain('oom-single-container');
    expect(stdout).not.toContain('my-scenario');
  });
});
