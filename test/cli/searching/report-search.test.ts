import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bisectSchema, differenceSchema, type BisectResult } from '../../../lab/model/saved/search.ts';
import { runCli } from '../support/run-cli.ts';
import { captureCell, writeSearchedRun, type SavedEnd } from '../support/searched-runs.ts';

const SCENARIO = 'oom-single-container';
const at = (variant: string): string => `${variant}/${SCENARIO}`;
const ENDS: Readonly<Record<string, SavedEnd>> = {
  'containerd-1.6.2': 'killed',
  'containerd-1.7.27': 'killed',
  'containerd-2.1.4': 'killed',
  'containerd-2.3.7': 'alive',
  'containerd-2.4.2': 'alive',
  'v1_containerd-1.7.27': 'killed',
  'v1_containerd-2.4.2': 'alive',
};

let home: string;
let state: string;
let bisect: BisectResult;
let difference: string;
let found: string;
/** The page of the bisect, as that wrote it. */
let page: string;

const folderOf = (id: string): string => join(state, 'searches', id);

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-search-'));
  state = join(home, 'state');
  const capture = await captureCell(home);
  const cells = Object.entries(ENDS).map(([variant, end]) => ({ address: at(variant), end }));
  const saved = Array.from({ length: 7 }, (_, index) =>
    writeSearchedRun(home, `20260101-00000${index}-told`, capture, cells),
  );
  const asked = ['--axis', 'containerd', '--good', '1.6.2', '--saved', ...saved];
  const searched = await runCli(state, ['bisect', at('containerd-2.4.2'), ...asked, '--json']);
  bisect = bisectSchema.parse(JSON.parse(searched.stdout));
  page = readFileSync(join(folderOf(bisect.search!), 'report.html'), 'utf8');
  const words = ['difference', at('containerd-2.4.2'), at('v1_containerd-1.7.27'), '--saved', ...saved];
  difference = (await runCli(state, words)).stdout;
  found = /search (\S+)$/m.exec(difference)?.[1] ?? '';
});
afterAll(() => rmSync(home, { recursive: true }));

describe('the page of a search', () => {
  it('is written with its answer, and said', () => {
    expect(page).toContain('<h1>first bad: 2.3.7, last good: 2.1.4');
    expect(difference).toMatch(/^html {5}\S*\/report\.html$/m);
    expect(readFileSync(join(folderOf(found), 'report.html'), 'utf8')).toContain('containerd 1.7.27 → 2.4.2');
  });

  it('is written again by `report`, with the id of the search, its beginning or its folder', async () => {
    const id = bisect.search!;
    const file = join(folderOf(id), 'report.html');
    // Both searches may have begun in one second, and differ in the last of four random digits only.
    const differsAt = [...id].findIndex((letter, place) => letter !== found[place]);
    for (const word of [id, id.slice(0, differsAt + 1), folderOf(id)]) {
      rmSync(file, { force: true });
      const { status, stdout, stderr } = await runCli(state, ['report', word]);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain('first bad: 2.3.7, last good: 2.1.4');
      expect(readFileSync(file, 'utf8')).toBe(page);
    }
  });

  it('is printed in other formats, and nothing is written', async () => {
    const id = bisect.search!;
    rmSync(join(folderOf(id), 'report.html'), { force: true });
    const print = async (...words: string[]): Promise<string> =>
      (await runCli(state, ['report', ...words])).stdout;
    expect(bisectSchema.parse(JSON.parse(await print(id, '--json')))).toEqual(bisect);
    expect(differenceSchema.parse(JSON.parse(await print(found, '--json'))).search).toBe(found);
    expect(await print(id, '--format', 'markdown')).toContain('### whodunit bisect: `containerd`');
    expect(await print(id, '--format', 'html')).toMatch(/^<!doctype html>/);
    expect(existsSync(join(folderOf(id), 'report.html'))).toBe(false);
  });

  it.each([
    ['--format', 'junit', /is a search, which has no JUnit file/],
    ['--table', '', /is a search, which has no table of ends/],
  ])('has no %s %s', async (flag, value, says) => {
    const words = ['report', bisect.search!, flag, ...(value === '' ? [] : [value])];
    const { status, stderr } = await runCli(state, words);
    expect([status, stderr]).toEqual([2, expect.stringMatching(says)]);
  });

  it('refuses a state that contradicts itself, and leaves it as it is', async () => {
    const other = join(home, 'broken');
    cpSync(folderOf(bisect.search!), join(other, 'searches', bisect.search!), { recursive: true });
    const file = join(other, 'searches', bisect.search!, 'bisect.jsonl');
    const broken = readFileSync(file, 'utf8').replace('"good":"1.6.2"', '"good":"2.4.2"');
    writeFileSync(file, broken);
    const { status, stderr } = await runCli(other, ['report', bisect.search!]);
    expect([status, stderr]).toEqual([3, expect.stringContaining('both ends are 2.4.2')]);
    expect(readFileSync(file, 'utf8')).toBe(broken);
  });
});
