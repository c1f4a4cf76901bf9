import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT } from './run-cli.ts';

/** Twelve inputs in the form in which people ask. */
export const PASTES = join(PROJECT, 'test/fixtures/pastes');

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
