import { expect, test } from 'vitest';
import { parseVariant } from '../../../../lab/plan/variants/parse-variant.ts';
import { listNewerReleases, listNewerReleasesOf } from '../../../../lab/plan/variants/newer-releases.ts';
import { configWith } from '../../project-files.ts';

const { matrix } = configWith();
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

test('the note says up to where tests go, once for all worlds', () => {
  const [note, ...others] = listNewerReleasesOf(matrix, [
    parseVariant(matrix, ['kubernetes=1.99.1']),
    parseVariant(matrix, ['kubernetes=1.99.1', 'cgroup=v1']),
  ]);
  expect(others).toEqual([]);
  expect(note?.reason).toMatch(
    /^kubernetes 1\.99\.1 is newer than every release that the matrix names, up to 1\.\d+: /,
  );
});
