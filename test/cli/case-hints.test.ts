import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

describe('whodunit case --write', () => {
  const REPORT = `# A pod ends

Kubernetes v1.31.4, exit code 137, Reason: OOMKilled

\`\`\`yaml
apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: [{ name: web, image: acme/web:1, resources: { limits: { memory: 64Mi } } }] }
\`\`\`
`;
  it.each<[what: string, text: string, written: readonly string[], next: RegExp]>([
    [
      'a report without a link makes a scenario and no bug',
      REPORT,
      ['scenarios/pod-ends/scenario.yaml', 'scenarios/pod-ends/manifests/pod.yaml'],
      /^npx whodunit run .*scenario=pod-ends --dry-run$/,
    ],
    [
      'a report with one makes both',
      `${REPORT}\nhttps://github.com/acme/web/issues/7\n`,
      ['bugs/web-7.yaml', 'scenarios/web-7/scenario.yaml', 'scenarios/web-7/manifests/pod.yaml'],
      /^npx whodunit repro web-7 --dry-run$/,
    ],
  ])('%s', async (_, text, written, next) => {
    const project = copyProject(folder);
    const report = join(folder, 'report.md');
    writeFileSync(report, text);
    const { stdout, stderr, status } = await project.run(['case', report, '--write', '--json']);
    expect(status, stderr).toBe(0);
    const answer = caseSchema.parse(JSON.parse(stdout));
    expect(answer.written?.map((path) => path.slice(path.search(/(?:bugs|scenarios)\//)))).toEqual(written);
    expect(answer.next).toMatch(next);
    expect(JSON.stringify(answer.made)).not.toContain('github.com/example');
    const planned = await project.run(answer.next.replace('npx whodunit ', '').split(' '));
    expect(planned.status, planned.stderr).toBe(0);
  });

  it('is followed by new bug <link>, which fills in the link', async () => {
    const project = copyProject(folder);
    const link = 'https://github.com/acme/web/issues/7';
    const { status, stderr } = await project.run(['new', 'bug', link]);
    expect(status, stderr).toBe(0);
    expect(readFileSync(join(project.dir, 'bugs/web-7.yaml'), 'utf8')).toContain(link);
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

  it('of why <a path that is not there> say so', async () => {
    const { stderr, status } = await runCli(home, ['why', join(folder, 'is/not/there')]);
    expect(stderr).toContain('there is no file or folder');
    expect(stderr).not.toContain('there is no finished run yet');
    expect(status).toBe(2);
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
