import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  findMissingTexts,
  findUnreadReleases,
  isInBounds,
  listKnownReleases,
  moduleOf,
  TEXTS_FILE,
  textsSchema,
} from '../../../../bin/texts/texts-of-kills.ts';
import { configWith, PROJECT } from '../../project-files.ts';

const { programs } = textsSchema.parse(parse(readFileSync(join(PROJECT, TEXTS_FILE), 'utf8')));
const { catalogue, matrix } = configWith();
const known = listKnownReleases(catalogue, matrix);

describe('the texts of kills', () => {
  it('were read for every release that the catalogue knows', () => {
    expect(new Set(known.map(({ program }) => program))).toEqual(new Set(Object.keys(programs)));
    expect(findUnreadReleases(programs, known)).toEqual([]);
  });

  it.each([
    ['kubernetes', '1.38.0'],
    ['containerd', '2.5.0'],
    ['runc', '1.6.0'],
    ['linux', '7.3'],
    ['systemd', '263'],
  ])('are missing of a release that nobody has read: %s %s', (program, version) => {
    expect(findUnreadReleases(programs, [...known, { program, version }])).toEqual([{ program, version }]);
  });

  it('are looked for by files that exist', () => {
    const readers = Object.values(programs).flatMap(({ texts }) => texts.map(({ reader }) => reader));
    expect(readers.filter((reader) => !existsSync(join(PROJECT, reader)))).toEqual([]);
  });
});

describe('a source of a release', () => {
  const program = {
    modules: [
      { path: 'example.org/tool', until: '1.7' },
      { path: 'example.org/tool/v2', since: '2.0' },
    ],
    releases: [],
    captured: [],
    texts: [
      { text: 'killed it', in: ['old', 'new'], reader: 'a.ts' },
      { text: 'killed by probe', in: 'new', since: '2.0', reader: 'b.ts' },
    ],
  };

  it('has each text in one of its places', () => {
    const source = (path: string): string | undefined => (path === 'old' ? 'x killed it y' : undefined);
    expect(findMissingTexts(program, '1.7.3', source)).toEqual([]);
    expect(findMissingTexts(program, '2.1.0', source)).toEqual([
      '"killed by probe" is not in new (b.ts looks for it)',
    ]);
  });

  it('is the module of its release', () => {
    expect(moduleOf(program, '1.7.27')).toBe('example.org/tool');
    expect(moduleOf(program, '2.4.2')).toBe('example.org/tool/v2');
    expect(isInBounds('1.8.0', { until: '1.7' })).toBe(false);
  });
});
