import { expect, test } from 'vitest';
import { parseVariant } from '../../../../lab/plan/variants/parse-variant.ts';
import { listNewerReleases, listNotesOfReleases } from '../../../../lab/plan/variants/newer-releases.ts';
import { configWith } from '../../project-files.ts';

const config = configWith();
const { matrix } = config;
const idsOf = (...words: string[]) =>
  listNewerReleases(matrix, parseVariant(matrix, words)).map(({ id }) => id);

test('a release beyond the newest named one is accepted, with a note', () => {
  expect(idsOf('kubernetes=1.99.1')).toEqual(['kubernetes-1.99.1-is-newer']);
  expect(idsOf('kubernetes=1.99.1@file:/tmp/kubelet')).toEqual(['kubernetes-1.99.1-is-newer']);
  expect(idsOf('containerd=2.99.0', 'runtime=runc@9.0.0')).toEqual([
    'containerd-2.99.0-is-newer',
    'runc-9.0.0-is-newer',
  ]);
  expect(idsOf('runtime=runsc@20990101')).toEqual(['gvisor-20990101-is-newer']);
});

test('a release of a named minor, an older one, and what has no number get none', () => {
  expect(idsOf()).toEqual([]);
  expect(idsOf('kubernetes=1.34.9')).toEqual([]);
  expect(idsOf('kubernetes=1.23.4', 'containerd=1.4.12')).toEqual([]);
  expect(idsOf('runtime=runsc@20231202080848-1f7806d17489')).toEqual([]);
  expect(idsOf('containerd=file:/tmp/built', 'runtime=runsc@apt')).toEqual([]);
});

test('notes say up to where tests go and what the catalogue names, once for all worlds', () => {
  const reasons = listNotesOfReleases(config, [
    parseVariant(matrix, ['kubernetes=1.99.1']),
    parseVariant(matrix, ['kubernetes=1.99.1', 'cgroup=v1']),
  ]).map(({ reason }) => reason);
  expect(reasons).toEqual([
    expect.stringMatching(
      /^kubernetes 1\.99\.1 is newer than every release that the matrix names, up to 1\.\d+: .*not checked/,
    ),
    expect.stringMatching(
      /^whether there is a kubernetes 1\.99\.1 is known only once it is fetched, which `npx whodunit lock --dry-run` asks; named are 1\.\d+\.\d+, /,
    ),
  ]);
});

test.each([
  [['kubernetes=1.34.99999'], ['kubernetes-1.34.99999-is-not-named']],
  [['kubernetes=1.29.14', 'cgroup=v1'], ['kubernetes-1.29.14-is-not-named']],
  [['containerd=1.6.39'], ['containerd-1.6.39-is-not-named']],
  [['runtime=runsc@20231202080848-1f7806d17489'], []],
  [['kubernetes=1.37', 'containerd=2.1.4', 'runtime=runc@1.5.2'], []],
  [['kubernetes=1.37.2'], []],
  [['containerd=file:/tmp/built', 'runtime=runsc@apt'], []],
])('an exact version that the catalogue does not name has a note: %s', (words, ids) => {
  expect(listNotesOfReleases(config, [parseVariant(matrix, words)]).map(({ id }) => id)).toEqual(ids);
});
