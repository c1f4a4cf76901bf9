import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_TABLE } from '../../../lab/model/host/environment.ts';
import { PROJECT, readProjectText } from '../project-files.ts';

/** Where environment variables are read by their names: `env.CI`, `env['CI']`, `const { CI }: … = process.env`. */
const READS = [
  /\benv\??\.([A-Za-z]\w*)/g,
  /\benv(?:\?\.)?\[\s*['"`](\w+)['"`]\s*\]/g,
  /\{([^{}]*)\}(?:\s*:\s*[\w.]+)?\s*=\s*(?:process\.)?env\b/g,
];
/** What reads a variable without its name: these functions of Node. */
const BY_FUNCTION = { HOME: 'homedir()', TMPDIR: 'tmpdir()' };
const TABLE_FILE = 'lab/model/host/environment.ts';

const FILES = [
  ...['lab', 'bin', 'provision', 'stacks'].flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.m?[jt]s$/.test(file))
      .map((file) => join(folder, file)),
  ),
  'test/fixtures/properties.ts',
  'vitest.config.ts',
].filter((file) => file !== TABLE_FILE);

function namesReadIn(text: string): string[] {
  return READS.flatMap((pattern) => [...text.matchAll(pattern)]).flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.split(/[:=]/)[0]!.trim())
      .filter((name) => name !== ''),
  );
}

describe('the table of environment variables, of which docs/environment.md is made', () => {
  const known: string[] = Object.values(ENVIRONMENT_TABLE).flatMap((variables) => Object.keys(variables));

  it('has every variable that is read', () => {
    const unknown = FILES.flatMap((file) =>
      namesReadIn(readProjectText(file))
        .filter((name) => !known.includes(name))
        .map((name) => `${file}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('has no variable that nobody reads', () => {
    const texts = FILES.map((file) => readProjectText(file));
    const read = new Set(texts.flatMap((text) => namesReadIn(text)));
    for (const [name, call] of Object.entries(BY_FUNCTION))
      if (texts.some((text) => text.includes(call))) read.add(name);
    expect(known.filter((name) => !read.has(name))).toEqual([]);
  });

  it('has each variable once', () => {
    expect(new Set(known).size).toBe(known.length);
  });

  it.each([
    ['process.env.ONE ?? env.TWO', ['ONE', 'TWO']],
    [`process.env['ONE']`, ['ONE']],
    ['const { ONE, TWO: two }: Environment = process.env;', ['ONE', 'TWO']],
    ['const before = { ...process.env };', []],
  ])('finds what %s reads', (text, names) => {
    expect(namesReadIn(text)).toEqual(names);
  });
});
