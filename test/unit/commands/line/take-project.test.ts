import { describe, expect, it } from 'vitest';
import { rebaseBuildPaths } from '../../../../lab/commands/line/rebase-build-paths.ts';
import { takeProject } from '../../../../lab/commands/line/take-project.ts';
import { UsageError } from '../../../../lab/model/errors/errors.ts';

describe('a path of a build that a person types', () => {
  it.each([
    ['runtime=runc@file:./out/runc', '/p/sub', 'runtime=runc@file:./sub/out/runc'],
    ['runtime=runc@file:./out/runc+everywhere', '/p/sub', 'runtime=runc@file:./sub/out/runc+everywhere'],
    ['runtime=runc@file:../out/runc', '/p/sub', 'runtime=runc@file:./out/runc'],
    ['runtime=runc@file:runc,crun', '/p/sub', 'runtime=runc@file:./sub/runc,crun'],
    [
      'runtime=runsc@file:out/runsc+systemd-cgroup',
      '/p/sub',
      'runtime=runsc@file:./sub/out/runsc+systemd-cgroup',
    ],
    ['runtime=runc@file:./runc', '/elsewhere', 'runtime=runc@file:/elsewhere/runc'],
    ['runtime=runc@file:/abs/runc', '/p/sub', 'runtime=runc@file:/abs/runc'],
    ['kubernetes=1.34.2@file:./kubelet', '/p/sub', 'kubernetes=1.34.2@file:./sub/kubelet'],
    ['kernel=file:./bzImage', '/p/sub', 'kernel=file:./sub/bzImage'],
    ['runc@file:.%2Fout%2Frunc/oom-*', '/p/sub', 'runc@file:.%2Fsub%2Fout%2Frunc/oom-*'],
    ['one[program=file:.%2Fa]', '/p/sub', 'one[program=file:.%2Fsub%2Fa]'],
    ['runtime=runc@git:.', '/p/sub', 'runtime=runc@git:./sub'],
    ['runtime=runc@git:.#a/b', '/p/sub', 'runtime=runc@git:./sub#a/b'],
    ['runc@git:..%2Frunc#a%2Fb/oom-*', '/p/sub', 'runc@git:.%2Frunc#a%2Fb/oom-*'],
    ['runtime=runc@file:./out/runc', '/p', 'runtime=runc@file:./out/runc'],
    ['profile:x', '/p/sub', 'profile:x'],
  ])('%s in %s is %s', (word, cwd, counted) => {
    const asked = rebaseBuildPaths([word], { affected: [word] }, '/p', cwd);
    expect(asked).toEqual({ words: [counted], flags: { affected: [counted] } });
  });
});

describe('--project', () => {
  it.each([
    [['list', '--project', 'a', 'x'], 'a', ['list', 'x']],
    [['--project=a', 'list'], 'a', ['list']],
    [['list', '--', '--project', 'a'], undefined, ['list', '--', '--project', 'a']],
    [['kubectl', '--project', 'a', 'get', '--project', 'b'], 'a', ['kubectl', 'get', '--project', 'b']],
    [['list'], undefined, ['list']],
  ])('of %j is %s', (words, project, rest) => {
    expect(takeProject(words)).toEqual({ project, rest });
  });

  it.each([
    [['list', '--project']],
    [['list', '--project=']],
    [['--project', 'a', 'list', '--project', 'b']],
  ])('is refused in %j', (words) => {
    expect(() => takeProject(words)).toThrow(UsageError);
  });
});
