import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderGithub } from '../../../../lab/report/manifests/github.ts';
import { renderGitlab } from '../../../../lab/report/manifests/gitlab.ts';
import { createShardPlan } from './made-shard-plan.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface GithubJob {
  readonly needs?: string;
  readonly if?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly shard: readonly number[] } };
  readonly steps: readonly Step[];
}

interface GitlabJob {
  readonly parallel?: number;
  readonly when?: string;
  readonly script: readonly string[];
  readonly artifacts: { readonly when: string; readonly paths: readonly string[] };
}

const JOB = { plan: createShardPlan('run'), file: 'plan.json' };

describe('the workflow of GitHub', () => {
  const { shard, merge } = (parse(renderGithub(JOB)) as { jobs: Record<'shard' | 'merge', GithubJob> }).jobs;
  const uploadOf = ({ steps }: GithubJob): Step | undefined =>
    steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact') === true);

  it('runs and uploads each shard of the plan', () => {
    expect(shard.strategy?.matrix.shard).toEqual([1, 2, 3]);
    expect(shard.steps.find(({ run }) => run?.includes('--shard auto'))?.run).toContain('--plan plan.json');
    expect(uploadOf(shard)).toMatchObject({
      if: 'always()',
      with: { name: 'shard-${{ matrix.shard }}', path: 'shards/${{ matrix.shard }}/runs' },
    });
  });

  it('merges what was downloaded, even if a shard failed, and uploads the merged run', () => {
    expect([merge.needs, merge.if]).toEqual(['shard', 'always()']);
    const names = merge.steps.map(({ uses = '', run = '' }) => `${uses}${run}`);
    const at = (part: string): number => names.findIndex((name) => name.includes(part));
    expect(at('download-artifact')).toBeLessThan(at('whodunit merge shards --plan plan.json'));
    expect(at('whodunit merge')).toBeLessThan(at('upload-artifact'));
    expect(uploadOf(merge)).toMatchObject({
      if: 'always()',
      with: { path: `${merge.env.WHODUNIT_HOME}/runs` },
    });
  });
});

describe('the pipeline of GitLab', () => {
  const { shard, merge } = parse(renderGitlab(JOB)) as Record<'shard' | 'merge', GitlabJob>;

  it('runs and keeps each shard of the plan', () => {
    expect(shard.parallel).toBe(3);
    expect(shard.script.join('\n')).toContain('npx whodunit run --plan plan.json --shard auto');
    expect(shard.artifacts).toEqual({ when: 'always', paths: ['shards/*/runs/'] });
  });

  it('merges even if a shard failed, and keeps the merged run', () => {
    expect(merge.when).toBe('always');
    expect(merge.script.at(-1)).toBe('npx whodunit merge shards --plan plan.json');
    expect(merge.artifacts).toEqual({ when: 'always', paths: ['.lab/runs/'] });
  });
});
