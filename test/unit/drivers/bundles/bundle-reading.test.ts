import { describe, expect, it } from 'vitest';
import { BUNDLE_LIMITS } from '../../../../lab/drivers/bundles/bundle-file.ts';
import { BundleReading } from '../../../../lab/drivers/bundles/bundle-reading.ts';

describe('what was not read of a bundle', () => {
  it('names the first paths of each reason, and the rare reasons first', () => {
    const reading = new BundleReading(BUNDLE_LIMITS);
    for (let link = 1; link <= 230; link += 1) reading.skip(`etc/rc${link}.d`, 'is a link');
    reading.fail('kubelet.log.gz', new Error('unexpected end of file'));
    const links = [1, 2, 3, 4, 5].map((link) => ({ path: `etc/rc${link}.d`, why: 'is a link' }));
    expect(reading.problems).toEqual([
      {
        path: 'kubelet.log.gz',
        why: 'cannot be read to its end (unexpected end of file): what is behind is not known',
      },
      ...links,
      { path: 'and 225 more:', why: 'is a link' },
    ]);
  });

  it('names each path of a few', () => {
    const reading = new BundleReading(BUNDLE_LIMITS);
    for (const path of ['a', 'b', 'c', 'd', 'e']) reading.skip(path, 'is a link');
    expect(reading.problems.map(({ path }) => path)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
