import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { listBuildsOfVariant, listTypedBuilds } from '../../../../lab/plan/variants/named-builds.ts';
import { configWith } from '../../project-files.ts';

const { matrix } = configWith();
const typed = (...words: string[]): string[] => [...listTypedBuilds(matrix, words)];

describe('the builds that a person has typed', () => {
  it.each([
    ['runtime=runsc@file:/opt/runsc', ['file:/opt/runsc']],
    ['runtime=runsc@file:./a+b/runsc+systemd-cgroup,crun', ['file:./a+b/runsc']],
    ['kernel=6.1@bookworm,file:/boot/vmlinuz', ['file:/boot/vmlinuz']],
    ['kubernetes=1.22@file:../kubelet', ['file:../kubelet']],
    ['containerd=file:/opt/a,file:/opt/b', ['file:/opt/a', 'file:/opt/b']],
    ['supercronic=file:/opt/supercronic', ['file:/opt/supercronic']],
    ['runsc@file:%2Fopt%2Frunsc/plain-exit', ['file:/opt/runsc']],
    ['v1_runsc@file:%2Fopt%2Frunsc', ['file:/opt/runsc']],
    ['runtime=runc@git:../runc#v1.2.3', ['git:../runc']],
    ['runtime=runc@git:../runc+everywhere', ['git:../runc']],
    ['kubernetes=1.34.2@git:/src/kubernetes', ['git:/src/kubernetes']],
    ['runc@git:..%2Frunc#a%2Fb/plain-exit', ['git:../runc']],
    ['default/oom-*[supercronic=file:%2Fopt%2Fcron]', ['file:/opt/cron']],
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
    { label: 'kubernetes=1.34.2@file:./kubelet', kind: 'file', path: './kubelet', component: 'kubernetes' },
    { label: 'kernel=file:./vmlinuz', kind: 'file', path: './vmlinuz' },
    { label: 'runtime=runsc@file:./runsc', kind: 'file', path: './runsc', component: 'gvisor' },
  ]);
});
