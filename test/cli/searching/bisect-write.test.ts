import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bugsSchema } from '../../../lab/model/saved/repro.ts';
import { copyProject, type ProjectCopy } from '../support/project-copy.ts';
import { captureCell, writeSearchedRun, type SavedEnd } from '../support/searched-runs.ts';

const BUG = 'supercronic-zombies';
const FILE = `bugs/${BUG}.yaml`;
/** The parameter is at its default in the oldest version. */
const at = (version: string): string =>
  `default/${BUG}${version === '0.2.30' ? '' : `[supercronic=${version}]`}`;

let folder: string;
let copy: ProjectCopy;
let capture: Awaited<ReturnType<typeof captureCell>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-write-'));
  copy = copyProject(folder);
  capture = await captureCell(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Seven runs of each version. */
function tell(name: string, told: Readonly<Record<string, SavedEnd>>): string[] {
  return Array.from({ length: 7 }, (_, index) =>
    writeSearchedRun(
      folder,
      `20260101-00000${index}-${name}`,
      capture,
      Object.entries(told).map(([version, end]) => ({ address: at(version), end })),
    ),
  );
}

const textOf = (): string => readFileSync(join(copy.dir, FILE), 'utf8');
const bisect = (...words: string[]): ReturnType<ProjectCopy['run']> => copy.run(['bisect', ...words]);

describe('bisect --write', () => {
  it('writes the first good version of a fix into the file of the bug, which stays as it is but for that', async () => {
    copy.restore('bugs');
    const before = textOf();
    const runs = tell('fix', { '0.2.30': 'alive', '0.2.32': 'alive', '0.2.33': 'killed' });
    const { status, stdout, stderr } = await bisect(BUG, '--write', '--saved', ...runs);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('first good: 0.2.33, last bad: 0.2.32');
    expect(stdout).toMatch(/^wrote +firstGood of .*supercronic-zombies\.yaml$/m);
    const after = textOf();
    const added = "fixed: { supercronic: '0.2.33' }\nfirstGood: ['0.2.33']\n";
    expect(after).toBe(before.replace("fixed: { supercronic: '0.2.33' }\n", added));
    expect((await bisect(BUG, '--write', '--saved', ...runs)).status).toBe(0);
    expect(textOf()).toBe(after);
    const bugs = await copy.run(['bugs', BUG]);
    expect(bugs.stdout).toContain('\n  first good 0.2.33\n');
    const json = bugsSchema.parse(JSON.parse((await copy.run(['bugs', BUG, '--json'])).stdout));
    expect(json.bugs.find(({ id }) => id === BUG)?.firstGood).toEqual(['0.2.33']);
  });

  it('sees no other difference where one side names a default', async () => {
    copy.restore('bugs');
    copy.change(
      FILE,
      textOf().replace("fixed: { supercronic: '0.2.33' }", "fixed: { supercronic: '0.2.33', cgroup: v2 }"),
    );
    const runs = tell('default', { '0.2.30': 'alive', '0.2.32': 'alive', '0.2.33': 'killed' });
    const { status, stderr } = await bisect(BUG, '--write', '--saved', ...runs);
    expect([status, stderr]).toEqual([0, '']);
    expect(textOf()).toContain("cgroup: v2 }\nfirstGood: ['0.2.33']\n");
  });

  it.each<[string, Readonly<Record<string, SavedEnd>>, number]>([
    ['the ends do not differ', { '0.2.30': 'alive', '0.2.32': 'alive', '0.2.33': 'alive' }, 3],
    [
      'the version before was never observed',
      { '0.2.30': 'alive', '0.2.32': 'unseen', '0.2.33': 'killed' },
      0,
    ],
  ])(
    'gives its answer and writes nothing where no first version is sure: %s',
    async (name, told, expected) => {
      copy.restore('bugs');
      const before = textOf();
      const runs = tell(name.replaceAll(' ', '-'), told);
      const { status, stdout } = await bisect(BUG, '--write', '--saved', ...runs);
      expect(status).toBe(expected);
      expect(stdout).toContain('search   supercronic from');
      expect(stdout).toMatch(/^wrote +nothing into /m);
      expect(textOf()).toBe(before);
    },
  );

  it.each([
    [
      'a cell',
      ['containerd-2.4.2/oom-single-container', '--axis', 'containerd', '--good', '1.6.2'],
      /the search is for a cell/,
    ],
    ['sides that differ in more', [BUG, '--axis', 'supercronic'], /also differ in pids/],
  ])('refuses %s before it begins', async (_, words, says) => {
    copy.restore('bugs');
    copy.change(
      FILE,
      textOf().replace("fixed: { supercronic: '0.2.33' }", "fixed: { supercronic: '0.2.33', pids: '200' }"),
    );
    const { status, stderr } = await copy.run(['bisect', ...words, '--write'], { GOPROXY: 'off' });
    expect([status, stderr]).toEqual([2, expect.stringMatching(says)]);
  });
});
