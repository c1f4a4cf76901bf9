import { describe, expect, it } from 'vitest';
import type { StatusResult } from '../../../../lab/model/saved/answers.ts';
import { renderStatus } from '../../../../lab/report/terminal/render-status.ts';

function statusWith(cacheFolder: string): StatusResult {
  return {
    formatVersion: 1,
    folder: '/srv/lab',
    lock: null,
    worlds: [],
    runs: { count: 2, diskBytes: 3 * 1024 * 1024 },
    cache: { folder: cacheFolder, diskBytes: 5 * 1024 * 1024 * 1024 },
  };
}

describe('the disk in the status', () => {
  it('is one line when the cache lies in the state folder', () => {
    expect(renderStatus(statusWith('/srv/lab/cache'))).toContain(
      '\n2 runs 3.0 MiB, cache 5.0 GiB, in /srv/lab\n',
    );
  });

  it.each(['/var/cache/lab', '/srv/lab-cache', '/srv'])(
    'names both places when the cache is %s',
    (folder) => {
      expect(renderStatus(statusWith(folder))).toContain(
        `\n2 runs 3.0 MiB, in /srv/lab\ncache 5.0 GiB, in ${folder}\n`,
      );
    },
  );
});
