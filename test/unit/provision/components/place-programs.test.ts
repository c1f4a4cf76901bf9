import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placePrograms } from '../../../../provision/components/place-programs.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'whodunit-programs-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('the programs of a local build', () => {
  it.each<[where: string, path: string, files: string[], first: string, second: string]>([
    ['in the folder', 'out', ['out/a', 'out/b', 'out/bin/a', 'out/bin/b'], 'out/a', 'out/b'],
    ['beside the first one', 'out/mine', ['out/mine', 'out/b'], 'out/mine', 'out/b'],
    [
      'in _output/bin of Kubernetes',
      '_output',
      ['_output/bin/a', '_output/bin/b'],
      '_output/bin/a',
      '_output/bin/b',
    ],
    [
      'in _output/local/bin of Kubernetes',
      '_output',
      ['_output/bin/a', '_output/local/bin/linux/amd64/a', '_output/local/bin/linux/amd64/b'],
      '_output/local/bin/linux/amd64/a',
      '_output/local/bin/linux/amd64/b',
    ],
    ['where they are missed, when no place has all', 'out', ['out/bin/a'], 'out/a', 'out/b'],
  ])('are looked for %s', (_, path, files, first, second) => {
    for (const file of files) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    expect(placePrograms(join(folder, path), ['a', 'b'])).toEqual({
      a: join(folder, first),
      b: join(folder, second),
    });
  });
});
