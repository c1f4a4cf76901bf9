import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { FLAGS } from '../../../lab/commands/context/flags.ts';
import { VERB_GROUPS } from '../../../lab/commands/line/verbs.ts';
import { ERROR_CODES } from '../../../lab/model/errors/errors.ts';
import { KILLERS, LAYERS, LEVELS, VERDICTS } from '../../../lab/model/killers/killers.ts';
import { PROJECT } from '../project-files.ts';

/** Folders that hold no page of ours: dependencies, state, build output. */
const NOT_OURS = /^(?:node_modules|cdktf\.out|\..*)$/;
/** Folders whose programs print error codes. */
const WITH_ERRORS = ['lab', 'provision', 'stacks', 'bin'];
/** An error code where it is thrown or printed, not a constant whose name looks like one. */
const ERROR_CODE = /(?<=['"`]|\berror )LAB_[A-Z_]+/g;

function filesBelow(folder: string, wanted: RegExp): string[] {
  return readdirSync(join(PROJECT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.test(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, wanted);
    return wanted.test(entry.name) ? [path] : [];
  });
}

function read(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8');
}

/** A page without its code blocks: what stands there is output, not a link. */
function proseOf(page: string): string {
  return read(page).replaceAll(/^```[\s\S]*?^```/gm, '');
}

/** Anchors as GitHub makes them from headings: of several with one name all but the first are numbered. */
function anchorsOf(page: string): string[] {
  const names = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return names.map((name, index) => {
    const before = names.slice(0, index).filter((earlier) => earlier === name).length;
    return before === 0 ? name : `${name}-${before}`;
  });
}

const PAGES = filesBelow('', /\.md$/);

describe('links', () => {
  it.each(PAGES)('of %s lead to files and headings that exist', (page) => {
    const prose = proseOf(page);
    const links = [
      ...prose.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g),
      ...prose.matchAll(/^\[[^\]]+\]: (?!https?:)([^\s#]*)(?:#(\S*))?$/gm),
    ];
    const broken = links.flatMap(([whole, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(PROJECT, target))) return [whole];
      // What follows the # of a page for browsers is for its script, which has tests of its own.
      const isText = target.endsWith('.md');
      return anchor === undefined || !isText || anchorsOf(target).includes(anchor) ? [] : [whole];
    });
    expect(broken).toEqual([]);
  });

  it.each(PAGES)('of %s name files of the project that exist', (page) => {
    const named = [
      ...proseOf(page).matchAll(/`((?:lab|bin|docs|provision|scenarios|stacks|test)\/[\w./-]+)`/g),
    ];
    const missing = named.map(([, path = '']) => path).filter((path) => !existsSync(join(PROJECT, path)));
    expect(missing).toEqual([]);
  });
});

describe('the table of errors, of which docs/errors.md is made', () => {
  it('has every error code of the code, and none that is gone', () => {
    const sources = WITH_ERRORS.flatMap((folder) => filesBelow(folder, /\.(?:ts|mjs|sh|go)$/));
    const used = sources.flatMap((file) => read(file).match(ERROR_CODE) ?? []);
    expect([...ERROR_CODES].sort()).toEqual([...new Set(used)].sort());
  });
});

describe('docs/architecture.md and docs/map.md', () => {
  const page = read('docs/architecture.md');
  const [, rooms = ''] = /^## Rooms inside rooms$([\s\S]*?)^## /m.exec(read('docs/map.md')) ?? [];
  const sources = ['lab', 'provision', 'stacks'].flatMap((folder) => filesBelow(folder, /\.ts$|^go\.mod$/));
  const folders = [...new Set(sources.map((file) => dirname(file)))];
  /** The large folders, which have rooms or are one: `lab/judge`, `provision`. */
  const large = [...new Set(folders.map((folder) => folder.replace(/^(lab\/[^/]+|[^/]+).*/, '$1')))];

  it.each(large.filter((folder) => folder !== 'lab'))('have a paragraph of %s', (folder) => {
    expect(page).toMatch(new RegExp(`^\\*\\*[^*]*\`${folder}/\`[^*]*\\*\\*`, 'm'));
  });

  it('are short where a newcomer begins: two pages, without tables', () => {
    expect(page.split(/\s+/).length).toBeLessThanOrEqual(1100);
    expect(page).not.toMatch(/^\|/m);
  });

  it.each(folders)('say what %s is for', (folder) => {
    // The folder itself, or a file of it: a folder below it does not count.
    expect(`${page}${rooms}`).toMatch(new RegExp(`\`${folder}/[^/\`]*\``));
  });

  it('has a map of at least twenty places, each of which has the name it is said to have', () => {
    const [questions = ''] = read('docs/map.md').split('## Where it is tested');
    const places = [...questions.matchAll(/\| `([^`|]+)` +\| `([^`|]+)` +\|$/gm)].map(
      ([, file = '', name = '']) => [file, name],
    );
    expect(places.length).toBeGreaterThanOrEqual(20);
    const wrong = places.filter(
      ([file = '', name = '']) => !existsSync(join(PROJECT, file)) || !read(file).includes(name),
    );
    expect(wrong).toEqual([]);
  });

  it('names no path that is gone', () => {
    const paths = [
      ...`${page}${read('docs/map.md')}`.matchAll(/`((?:lab|provision|stacks|bin|test|docs)\/[^`*<> ]*)`/g),
    ];
    const gone = paths.map(([, path = '']) => path).filter((path) => !existsSync(join(PROJECT, path)));
    expect(gone).toEqual([]);
    expect(paths.length).toBeGreaterThan(0);
  });

  it('names no file that is gone, also where the folder is left out', () => {
    const names = new Set(sources.map((file) => basename(file)));
    const pages = `${page}${read('docs/map.md')}`;
    const named = [...pages.matchAll(/`([\w-]+\.ts)`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });
});

describe('README.md', () => {
  const readme = read('README.md');

  it('has every verb in its table, under the job that the help has it under', () => {
    const [, table = ''] = readme.split(/^\| verb .*$/m);
    const [rows = ''] = table.split('\n\n');
    const names = [...rows.matchAll(/^\| (?:`([a-z]+)[ `]|\*\*(.*?)\*\*)/gm)].map(
      ([, verb, job]) => verb ?? job,
    );
    const expected = Object.entries(VERB_GROUPS).flatMap(([job, verbs]) => [
      job,
      ...verbs.map(({ name }) => name),
    ]);
    expect(names).toEqual(expected);
  });

  it('names no flag that no verb has', () => {
    const known = Object.values(FLAGS).map((flag) => new Option(flag).long);
    const named = [...proseOf('README.md').matchAll(/`(--[a-z][a-z-]*)`/g)].map(([, flag]) => flag);
    for (const flag of named) expect(known).toContain(flag);
  });
});

describe('docs/verdicts.md', () => {
  it.each([
    ['killer', KILLERS],
    ['layer', LAYERS],
    ['level', LEVELS],
    ['verdict', VERDICTS],
  ] as const)('explains every %s', (_, names) => {
    for (const name of names) expect(read('docs/verdicts.md')).toContain(`\`${name}\``);
  });
});

describe('decisions', () => {
  it('are numbered without a gap, each in its name and its title', () => {
    const numbers = filesBelow('docs/decisions', /\.md$/).map((file) => {
      const [, inName] = /\/(\d{4})-/.exec(file) ?? [];
      const [, inTitle] = /^# (\d+)\. /.exec(read(file)) ?? [];
      expect(Number(inTitle), file).toBe(Number(inName));
      return Number(inName);
    });
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
  });
});
