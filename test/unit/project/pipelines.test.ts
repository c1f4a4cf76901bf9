import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderGitlab } from '../../../lab/report/manifests/gitlab.ts';
import { createShardPlan } from '../report/manifests/made-shard-plan.ts';
import { readProjectText } from '../project-files.ts';

/** GitLab's own schema: test/fixtures/pipelines/README.md says where it is from. */
const SCHEMA = JSON.parse(readProjectText('test/fixtures/pipelines/gitlab-ci.schema.json')) as object;
const problemsOf = (text: string): unknown[] =>
  new Validator(SCHEMA, '7', false).validate(parse(text)).errors;

const [, documented = ''] = /^## GitLab$.*?^```yaml\n(.*?)^```$/ms.exec(readProjectText('docs/ci.md')) ?? [];

describe('what GitLab reads', () => {
  it.each([
    ['the pipeline of docs/ci.md', documented],
    ['the jobs of a plan', renderGitlab({ plan: createShardPlan('run'), file: 'plan.json' })],
  ])('fits its schema: %s', (_, text) => {
    expect(text).toContain('  script:\n');
    expect(problemsOf(text)).toEqual([]);
    expect(problemsOf(text.replace('  script:\n', '  scripts:\n'))).not.toEqual([]);
    expect(problemsOf(text.replace('exit_codes:', 'exit_code:'))).not.toEqual([]);
  });
});
