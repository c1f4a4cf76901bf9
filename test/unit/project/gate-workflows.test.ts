import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readProjectText } from '../project-files.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Workflow {
  readonly name: string;
  readonly on: unknown;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly permissions?: unknown; readonly steps: readonly Step[] }>
  >;
}

const read = (name: string): Workflow =>
  parse(readProjectText(`examples/gate/.github/workflows/${name}.yml`)) as Workflow;
const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps }) => [...steps]);

describe('the example of a gate for pull requests', () => {
  const gate = read('death-gate');
  const comment = read('death-gate-comment');

  it('may write nothing where it runs code of the pull request', () => {
    expect(gate.on).toEqual(['pull_request']);
    expect(gate.permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(gate.jobs)) expect(job.permissions).toBeUndefined();
    for (const { uses, with: given } of stepsOf(gate))
      if (uses?.startsWith('actions/checkout@') === true) expect(given?.['persist-credentials']).toBe(false);
  });

  it('runs no code of the pull request where it may write', () => {
    expect(comment.on).toEqual({ workflow_run: { workflows: [gate.name], types: ['completed'] } });
    expect(comment.permissions).toEqual({ actions: 'read', 'pull-requests': 'write' });
    const used = stepsOf(comment).flatMap(({ uses }) => uses ?? []);
    expect(used.map((uses) => uses.split('@')[0])).toEqual(['actions/download-artifact']);
    const programs = stepsOf(comment).flatMap(({ run = '' }) =>
      run.split('\n').flatMap((line) => line.replace(/^\w+=\$\(/, '').split(' ')[0] ?? ''),
    );
    expect(programs.filter((program) => program !== '' && !['gh', 'head'].includes(program))).toEqual([]);
  });

  it.each([gate, comment])('never puts a text of a stranger into a script', (workflow) => {
    for (const { run } of stepsOf(workflow)) expect(run ?? '').not.toContain('${{');
  });
});
