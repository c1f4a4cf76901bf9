import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBugReport } from '../../../../lab/commands/saved/read-bug-report.ts';

const MIB = 1024 * 1024;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-report-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A clock that is so many seconds later each time that it is asked. */
const ticking = (seconds: number): { elapsed: () => number } => {
  let now = 0;
  return { elapsed: () => (now += seconds * 1000) };
};

const write = (name: string, content: string): void => writeFileSync(join(folder, name), content);

describe('readBugReport', () => {
  it('takes only the beginning of a long file, and says so', async () => {
    write('long.log', 'x'.repeat(17 * MIB));
    const { files, problems } = await readBugReport([folder], ticking(0));
    expect(files.map(({ text }) => text.length)).toEqual([16 * MIB]);
    expect(problems).toEqual([`${join(folder, 'long.log')}: only the first 16 MiB were read`]);
  });

  it('reads no more of a file than shows that it is not text', async () => {
    // Such as /proc/self/pagemap, which has 256 GB. Three of these are more than all that is read of a report.
    for (const name of ['1', '2', '3']) {
      write(name, '');
      truncateSync(join(folder, name), 15 * MIB);
    }
    write('report.md', 'exit code 137');
    const { files, problems } = await readBugReport([folder], ticking(0));
    expect(files.map(({ text }) => text)).toEqual(['exit code 137']);
    expect(problems.map((problem) => problem.split(' ').slice(1, 4).join(' '))).toEqual(
      Array.from({ length: 3 }, () => 'is not text:'),
    );
  });

  it.each<[what: string, fill: () => void, seconds: number, read: number, says: string]>([
    [
      'too many files',
      () => {
        for (let number = 0; number <= 1000; number++) write(`${String(number).padStart(4, '0')}.md`, 'text');
      },
      0,
      1000,
      '1000.md and what follows is not read: at most 1000 files are. Name the files that matter',
    ],
    [
      'too many bytes',
      () => {
        for (const name of ['1.md', '2.md', '3.md', '4.md']) write(name, 'x'.repeat(15 * MIB));
      },
      0,
      3,
      `3.md and what follows is not read: at most ${32 * MIB} bytes are. Name the files that matter`,
    ],
    [
      'too much time',
      () => {
        for (const name of ['1.md', '2.md', '3.md']) write(name, 'text');
      },
      25,
      2,
      '3.md and the files after it were not read: that took more than 60 s. Name only the files that matter',
    ],
  ])('ends at %s, with one message', async (_, fill, seconds, read, says) => {
    fill();
    const { files, problems } = await readBugReport([folder], ticking(seconds));
    expect(files).toHaveLength(read);
    expect(problems).toEqual([join(folder, says)]);
  });
});
