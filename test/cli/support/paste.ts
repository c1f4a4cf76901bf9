import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { PROJECT } from './run-cli.ts';

/** Twelve inputs in the form in which people ask. */
export const PASTES = join(PROJECT, 'test/fixtures/pastes');

/** Folders of a test file. */
interface PasteFolders {
  /** Where inputs are made. */
  readonly folder: string;
  /** The state folder, which an autopsy does not need. */
  readonly home: string;
}

/** Makes a folder for the tests of a file. When they are over it is removed, and no state folder may be in it. */
export function usePasteFolders(): PasteFolders {
  const folder = join(tmpdir(), `whodunit-autopsy-${randomUUID()}`);
  const home = join(folder, 'state');
  beforeAll(() => {
    mkdirSync(folder);
  });
  afterAll(() => {
    const isLeft = existsSync(home);
    rmSync(folder, { recursive: true });
    expect(isLeft).toBe(false);
  });
  return { folder, home };
}

type Change = (text: string) => string;

/** A copy of a paste, some files of which are changed, or added. */
export function paste(
  name: string,
  changes: Readonly<Record<string, Change | string>> = {},
): (at: string) => string[] {
  return (at) => {
    cpSync(join(PASTES, name, 'input'), at, { recursive: true });
    for (const [file, change] of Object.entries(changes)) {
      const path = join(at, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof change === 'string' ? change : change(readFileSync(path, 'utf8')));
    }
    return [at];
  };
}

/** A text without the lines that a pattern fits. */
export const without =
  (pattern: RegExp): Change =>
  (text) =>
    text
      .split('\n')
      .filter((line) => !pattern.test(line))
      .join('\n');
