import { stringify } from 'yaml';
import {
  comment,
  EXIT_CONTRACT,
  needsOfTask,
  SHARDS_FOLDER,
  spellMerge,
  spellShardRun,
  type ShardJob,
} from './shard-job.ts';

/** GitLab runs at most so many jobs in parallel. */
export const MAX_PARALLEL_JOBS = 200;

/** A part of `.gitlab-ci.yml`: a parallel job with an index for each shard, and one that merges. */
export function renderGitlab(job: ShardJob): string {
  const { minutes, kvm } = needsOfTask(job);
  const pipeline = {
    stages: ['shards', 'merge'],
    shard: {
      stage: 'shards',
      parallel: job.plan.shards.length,
      timeout: `${minutes} minutes`,
      ...(kvm ? { tags: ['kvm'] } : {}),
      retry: { max: 1, exit_codes: [3] },
      allow_failure: { exit_codes: [1] },
      script: [
        'npm ci --ignore-scripts',
        `export WHODUNIT_HOME="$PWD/${SHARDS_FOLDER}/$CI_NODE_INDEX"`,
        spellShardRun(job),
      ],
      artifacts: { when: 'always', paths: [`${SHARDS_FOLDER}/*/runs/`] },
    },
    merge: {
      stage: 'merge',
      when: 'always',
      needs: ['shard'],
      script: ['npm ci --ignore-scripts', spellMerge(job)],
      artifacts: { when: 'always', paths: ['.lab/runs/'] },
    },
  };
  const usage = [`include: this file. The plan is in the repository: ${job.file}`];
  return `${comment(usage)}#\n${comment(EXIT_CONTRACT)}${stringify(pipeline, { lineWidth: 0 })}`;
}
