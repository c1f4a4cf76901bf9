import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './run-cli.ts';

const [, BLOCK = ''] =
  /```console\n([^]*?)```/.exec(readFileSync(join(PROJECT, 'docs/your-own-project.md'), 'utf8')) ?? [];

/** The lines of docs/your-own-project.md that begin a project where the tarball is. */
export const BEGIN_PROJECT = BLOCK.trim()
  .split('\n')
  .map((line) => line.replace(/ +#.*/, ''));
