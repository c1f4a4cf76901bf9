import { describe, expect, it } from 'vitest';
import { indexCatalogue } from '../../../../lab/case/search/catalogue-index.ts';
import { listSearchEntries } from '../../../../lab/case/search/search-entry.ts';
import { isLink, searchLink } from '../../../../lab/case/search/search-link.ts';
import { loadWholeConfig } from '../../../../lab/commands/setup/config.ts';
import { PROJECT } from '../../project-files.ts';

const INDEX = indexCatalogue(listSearchEntries(loadWholeConfig({ projectDir: PROJECT }), []));

describe('what is near to a link that no bug has', () => {
  it.each([
    ['https://github.com/k3s-io/k3s/issues/4572', 'oom-reported-as-error'],
    ['https://github.com/containerd/containerd/issues/1', 'oom-reported-as-error'],
    ['https://github.com/google/gvisor/issues/1', 'gvisor-limit-not-enforced'],
    ['https://github.com/aptible/supercronic/issues/1', 'supercronic-zombies'],
  ])('of %s has %s', (link, bug) => {
    expect(searchLink(INDEX, link, { most: 8 }).map(({ name }) => name)).toContain(bug);
  });

  it.each([
    'https://github.com/k3s-io/k3s/issues/4572',
    'https://github.com/kubernetes-sigs/aws-efs-csi-driver/issues/1',
    'https://bugs.launchpad.net/ubuntu/+source/runc/+bug/1',
  ])('is not found by a part of an owner or a host: %s', (link) => {
    const reasons = searchLink(INDEX, link, { most: 20 }).map(({ why }) => why);
    expect(reasons.filter((why) => /"(?:io|sigs|net|bugs|k3s-io)"/.test(why))).toEqual([]);
  });

  it('says whose tracker it is, as far as the link says', () => {
    const [first] = searchLink(INDEX, 'containerd/containerd#1', { most: 1 });
    expect(first?.why).toMatch(/^of containerd\/containerd, as far as the link says: /);
  });

  it.each([
    ['https://example.org/a', true],
    ['k3s-io/k3s#4572', true],
    ['oom-reported-as-error', false],
  ])('%s is a link: %s', (word, isOne) => {
    expect(isLink(word)).toBe(isOne);
  });
});
