import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../../lab/model/host/environment.ts';
import { readShard } from '../../../../lab/plan/shards/shard-index.ts';
import { messageOf } from '../plan-words.ts';

describe('--shard auto', () => {
  it.each<[string, Environment, number, number | undefined]>([
    ['the first task of a Slurm array', { SLURM_ARRAY_TASK_ID: '1' }, 1, undefined],
    ['a task of Slurm that is run again with --array=5', { SLURM_ARRAY_TASK_ID: '5' }, 5, undefined],
    ['the first index of an Indexed Job', { JOB_COMPLETION_INDEX: '0' }, 1, undefined],
    ['the last of eight', { JOB_COMPLETION_INDEX: '7' }, 8, undefined],
    ['the first job of Buildkite', { BUILDKITE_PARALLEL_JOB: '0', BUILDKITE_PARALLEL_JOB_COUNT: '4' }, 1, 4],
    ['its last', { BUILDKITE_PARALLEL_JOB: '3', BUILDKITE_PARALLEL_JOB_COUNT: '4' }, 4, 4],
    ['the first container of CircleCI', { CIRCLE_NODE_INDEX: '0', CIRCLE_NODE_TOTAL: '4' }, 1, 4],
    ['its last', { CIRCLE_NODE_INDEX: '3', CIRCLE_NODE_TOTAL: '4' }, 4, 4],
    ['the first job of GitLab', { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '4' }, 1, 4],
    ['its last', { CI_NODE_INDEX: '4', CI_NODE_TOTAL: '4' }, 4, 4],
    ['a job of a GitHub matrix', { WHODUNIT_SHARD: '3' }, 3, undefined],
    ['our own variable inside of Slurm', { WHODUNIT_SHARD: '3', SLURM_ARRAY_TASK_ID: '9' }, 3, undefined],
  ])('is the shard of %s', (_, env, shard, of) => {
    expect(readShard('auto', env)).toEqual(of === undefined ? { shard } : { shard, of });
  });

  it.each<[string, Environment, RegExp]>([
    [
      'a Slurm array from 0',
      { SLURM_ARRAY_TASK_ID: '0' },
      /SLURM_ARRAY_TASK_ID is 0, and its tasks are counted from 1/,
    ],
    ['GitLab from 0', { CI_NODE_INDEX: '0' }, /CI_NODE_INDEX is 0/],
    ['a word', { WHODUNIT_SHARD: 'abc' }, /^WHODUNIT_SHARD is "abc", which is not a number/],
    ['a fraction', { WHODUNIT_SHARD: '1.5' }, /^WHODUNIT_SHARD is "1.5", which is not/],
    ['what is below zero', { WHODUNIT_SHARD: '-1' }, /^WHODUNIT_SHARD is "-1", which is not/],
    ['seven digits', { WHODUNIT_SHARD: '1000000' }, /not a number of at most six digits/],
    ['a word in a Job', { JOB_COMPLETION_INDEX: 'x' }, /^JOB_COMPLETION_INDEX is "x"/],
    [
      'a count that is none',
      { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '' },
      /^CI_NODE_TOTAL is "", which is not a number/,
    ],
    [
      'a count that is a word',
      { CIRCLE_NODE_INDEX: '1', CIRCLE_NODE_TOTAL: 'all' },
      /^CIRCLE_NODE_TOTAL is "all"/,
    ],
    ['no engine', {}, /none of WHODUNIT_SHARD, SLURM_ARRAY_TASK_ID, .* is set/],
  ])('refuses %s', (_, env, message) => {
    expect(messageOf(() => readShard('auto', env))).toMatch(message);
  });

  it.each([
    ['3', { shard: 3 }],
    ['3/8', { shard: 3, of: 8 }],
    ['8/8', { shard: 8, of: 8 }],
  ])('reads %s', (text, choice) => {
    expect(readShard(text, {})).toEqual(choice);
  });

  it.each(['0', '0/8', '9/8', '1/0', '-1', '1.5', 'first', '1/'])('refuses %s', (text) => {
    expect(messageOf(() => readShard(text, {}))).toMatch(/^--shard/);
  });
});
