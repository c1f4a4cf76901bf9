import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { listBuildsOfVariant, listTypedPaths } from '../../../../lab/plan/variants/named-builds.ts';
import { configWith } from '../../project-files.ts';

const { matrix } = configWith();
const typed = (...words: string[]): string[] => [...listTypedPaths(matrix, words)];

describe('the paths that a person has typed', () => {
  it.each([
    ['runtime=runsc@file:/opt/runsc', ['/opt/runsc']],
    ['runtime=runsc@file:./a+b/runsc+systemd-cgroup,crun', ['./a+b/runsc']],
    ['kernel=6.1@bookworm,file:/boot/vmlinuz', ['/boot/vmlinuz']],
    ['kubernetes=1.22@file:../kubelet', ['../kubelet']],
    ['containerd=file:/opt/a,file:/opt/b', ['/opt/a', '/opt/b']],
    ['supercronic=file:/opt/supercronic', ['/opt/supercronic']],
    ['runsc@file:%2Fopt%2Frunsc/plain-exit', ['/opt/runsc']],
    ['v1_runsc@file:%2Fopt%2Frunsc', ['/opt/runsc']],
    ['default/oom-*[supercronic=file:%2Fopt%2Fcron]', ['/opt/cron']],
  ])('are read from %s', (word, paths) => {
    expect(typed(word)).toEqual(paths);
  });

  it.each(['runtime=*', '*', 'runtime=runsc@*', 'set=full', 'oom-*[x=*]', 'x', ''])(
    'are none in %s, whatever it matches',
    (word) => {
      expect(typed(word)).toEqual([]);
    },
  );
});

it('names the component of each build, and none for a kernel', () => {
  const variant = {
    ...DEFAULT_VARIANT,
    kernel: 'file:./vmlinuz',
    kubernetes: '1.34.2@file:./kubelet',
    runtime: 'runsc@file:./runsc',
  };
  expect(listBuildsOfVariant(variant)).toEqual([
    { label: 'kubernetes=1.34.2@file:./kubelet', path: './kubelet', component: 'kubernetes' },
    { label: 'kernel=file:./vmlinuz', path: './vmlinuz' },
    { label: 'runtime=runsc@file:./runsc', path: './runsc', component: 'gvisor' },
  ]);
});
