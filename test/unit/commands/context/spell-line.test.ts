import { describe, expect, it } from 'vitest';
import type { Flags } from '../../../../lab/commands/context/flags.ts';
import { spellLine } from '../../../../lab/commands/context/spell-line.ts';

describe('the line after a dry run', () => {
  it.each<[string, readonly string[], Flags, string]>([
    ['run', ['plain-exit'], { dryRun: true, json: true, wait: true }, 'run plain-exit'],
    [
      'run',
      ['oom-*', 'cgroup=v1,v2'],
      { seed: 'a b', cold: true },
      "run 'oom-*' cgroup=v1,v2 --seed 'a b' --cold",
    ],
    ['run', [], { plan: 'plan.json', shard: '3', locked: true }, 'run --locked --plan plan.json --shard 3'],
    [
      'run',
      ['set=deaths'],
      { shard: '3/8', keepEvidence: 'failed,1%' },
      'run set=deaths --shard 3/8 --keep-evidence failed,1%',
    ],
    [
      'run',
      ['plain-exit'],
      { exitFor: 'git-bisect', wait: false },
      'run plain-exit --no-wait --exit-for git-bisect',
    ],
    [
      'run',
      ['plain-exit'],
      { sample: 3, parallel: 2, output: 'name' },
      'run plain-exit --sample 3 --parallel 2',
    ],
    [
      'gate',
      [],
      { for: 'runc', from: 'my change.diff', repeat: 5, record: 'base.json' },
      "gate --repeat 5 --for runc --from 'my change.diff' --record base.json",
    ],
    [
      'gate',
      ['cgroup=v1'],
      { head: ['one', 'two'], save: 'out' },
      'gate cgroup=v1 --save out --head one two',
    ],
    [
      'prove',
      ['default/plain-exit'],
      { run: '20260101', minutes: 20, markdown: true },
      'prove default/plain-exit --run 20260101 --markdown --minutes 20',
    ],
  ])('of %s %j with %j does the same', (verb, words, flags, line) => {
    expect(spellLine(verb, words, flags)).toBe(line);
  });
});
