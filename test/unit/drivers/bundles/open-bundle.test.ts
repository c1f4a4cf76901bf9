import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLE_LIMITS, type BundleLimits } from '../../../../lab/drivers/bundles/bundle-file.ts';
import { openBundle } from '../../../../lab/drivers/bundles/open-bundle.ts';
import { BundleReading } from '../../../../lab/drivers/bundles/bundle-reading.ts';

const FIXTURES = 'test/fixtures/bundles';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-bundles-'));
});
afterEach(() => rmSync(base, { recursive: true }));

interface Opened {
  readonly files: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, string>>;
}

async function openAll(
  paths: readonly string[],
  { stdin = Readable.from([]), ...limits }: Partial<BundleLimits> & { stdin?: Readable } = {},
): Promise<Opened> {
  const reading = new BundleReading({ ...BUNDLE_LIMITS, ...limits });
  const files: Record<string, string> = {};
  for await (const { path, pieces } of openBundle(paths, stdin, reading)) {
    let text = '';
    for await (const piece of pieces) text += Buffer.from(piece).toString('latin1');
    files[path] = text;
  }
  return { files, problems: Object.fromEntries(reading.problems.map(({ path, why }) => [path, why])) };
}

describe('an archive', () => {
  it.each(['plain.tar', 'bundle.tar.gz', 'bundle.tar.xz', 'bundle.tar.zst', 'bundle.zip'])(
    '%s gives its files under the names that a person finds them by',
    async (name) => {
      const path = join(FIXTURES, name);
      const { files, problems } = await openAll([path]);
      expect(files).toEqual({
        [`${path}/node-1/dmesg`]: 'kernel line\n',
        [`${path}/node-1/logs/dmesg.1.gz`]: 'kernel line\n',
        [`${path}/node-1/logs/kubelet.log`]: 'first line\nsecond line\n',
      });
      const others = name.endsWith('.zip')
        ? {}
        : { [`${path}/node-1/link`]: 'is a link', [`${path}/node-1/pipe`]: 'is a pipe' };
      expect(problems).toEqual(others);
    },
  );

  it('comes through standard input too', async () => {
    const stdin = Readable.from([readFileSync(join(FIXTURES, 'bundle.tar.xz'))]);
    const { files } = await openAll(['-'], { stdin });
    expect(files['(stdin)/node-1/dmesg']).toBe('kernel line\n');
  });

  it('that was cut is said, and what came before the cut is given', async () => {
    for (const [name, bytes] of [
      ['plain.tar', 5 * 512 + 7],
      ['bundle.tar.gz', 300],
      ['bundle.tar.xz', 250],
      ['bundle.tar.zst', 200],
      ['bundle.zip', 300],
    ] as const) {
      const path = join(base, name);
      copyFileSync(join(FIXTURES, name), path);
      truncateSync(path, bytes);
      const { problems } = await openAll([path]);
      expect(Object.values(problems).join('\n'), name).toContain('what is behind is not known');
    }
  });

  it('names lead nowhere', async () => {
    const path = join(FIXTURES, 'traversal.tar');
    expect((await openAll([path])).files).toEqual({ [`${path}/etc/dmesg`]: 'kernel line\n' });
  });

  it.each([
    ['password.zip', 'needs a password'],
    ['dmesg.bz2', 'packed by bzip2'],
    ['dmesg.enc', 'encrypted by OpenSSL'],
    ['dmesg.asc', 'encrypted by PGP'],
  ])('%s is not read, and why is said', async (name, why) => {
    const { files, problems } = await openAll([join(FIXTURES, name)]);
    expect(files).toEqual({});
    expect(Object.values(problems).join()).toContain(why);
  });

  it('that is not read to its end by the caller does not hide the next file', async () => {
    const reading = new BundleReading(BUNDLE_LIMITS);
    const paths: string[] = [];
    for await (const { path } of openBundle([join(FIXTURES, 'bundle.tar.xz')], Readable.from([]), reading))
      paths.push(path.slice(path.lastIndexOf('/') + 1));
    expect(paths).toEqual(['dmesg', 'dmesg.1.gz', 'kubelet.log']);
  });
});

describe('bounds', () => {
  it('of bytes hold against a bomb', async () => {
    const path = join(base, 'zeros.gz');
    writeFileSync(path, gzipSync(Buffer.alloc(10_000_000)));
    const { files, problems } = await openAll([path], { maxBytes: 1_000_000 });
    expect(files[path]?.length ?? 0).toBeLessThanOrEqual(1_000_000);
    expect(problems[path]).toContain('at most 1000000 bytes are');
  });

  it('of files and of depth hold, and say so', async () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(join(base, name), `${name}\n`);
    const { files, problems } = await openAll([base], { maxFiles: 2 });
    expect(Object.keys(files)).toHaveLength(2);
    expect(problems[join(base, 'c')]).toContain('at most 2 files are');
    let packed = Buffer.from('deep\n');
    for (let level = 0; level < 6; level += 1) packed = gzipSync(packed);
    writeFileSync(join(base, 'c'), packed);
    expect((await openAll([join(base, 'c')])).problems[join(base, 'c')]).toBe('is packed more than 4 times');
  });
});

describe('a folder', () => {
  it('is read in the order of names, without links, pipes and what may not be opened', async () => {
    mkdirSync(join(base, 'logs'));
    writeFileSync(join(base, 'logs', 'b.log'), 'b\n');
    writeFileSync(join(base, 'a.log'), 'a\n');
    symlinkSync('/etc/passwd', join(base, 'link'));
    execFileSync('mkfifo', [join(base, 'pipe')]);
    const { files, problems } = await openAll([base]);
    expect(Object.keys(files)).toEqual([join(base, 'a.log'), join(base, 'logs', 'b.log')]);
    expect(problems).toEqual({
      [join(base, 'link')]: 'is a link',
      [join(base, 'pipe')]: 'is a device, pipe or socket',
    });
  });

  it('that is not there is refused, with all that are missing', async () => {
    await expect(openAll([base, join(base, 'x'), join(base, 'y z')])).rejects.toThrow(
      `there is no file or folder ${join(base, 'x')}, '${join(base, 'y z')}'`,
    );
  });
});

describe('the address of a page', () => {
  it.each(['https://example.com/issues/1', 'HTTP://example.com'])(
    '%s is not fetched, which is said',
    async (word) => {
      await expect(openAll([word])).rejects.toMatchObject({
        tryNext: 'nothing is fetched from the network: save its text in a file, and name that',
      });
    },
  );
});

describe('a binary journal', () => {
  it('that journalctl does not take is said', async () => {
    const path = join(base, 'system.journal');
    writeFileSync(path, `LPKSHHRH${'\0'.repeat(600)}`);
    const { problems } = await openAll([path]);
    expect(problems[path]).toContain('is a binary journal, and journalctl did not print it');
  });
});
