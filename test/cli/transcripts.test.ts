import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyProject, type ProjectCopy } from './support/project-copy.ts';
import { PROJECT } from './support/run-cli.ts';

/**
 * What the pages show is what a reader sees: every command of their transcripts is run. A page is one test: a later command
 * may need what an earlier one made.
 */

interface Shown {
  readonly command: string;
  /** Lines of the page; `…` alone stands for any lines, at the end of a line for the rest of it. */
  readonly lines: readonly string[];
}

function readTranscripts(page: string): Shown[] {
  const blocks = readFileSync(join(PROJECT, page), 'utf8').matchAll(/^```console\n([\s\S]*?)^```/gm);
  return [...blocks].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...lines] = part.trimEnd().split('\n');
        return { command, lines };
      }),
  );
}

/** The first line of a page that the output does not have in its place; undefined when all of it is there. */
function findMissing(shown: readonly string[], output: string): string | undefined {
  const printed = output.trimEnd().split('\n');
  let at = 0;
  let maySkip = false;
  for (const line of shown) {
    if (line === '…') {
      maySkip = true;
      continue;
    }
    const matches = (text: string): boolean => {
      const [head = '', ...tails] = line.split('…');
      return text.startsWith(head) && tails.every((tail) => text.includes(tail.trim()));
    };
    const found = maySkip ? printed.findIndex((text, index) => index >= at && matches(text)) : at;
    if (found < 0 || !matches(printed[found] ?? '')) return line;
    at = found + 1;
    maySkip = false;
  }
  return maySkip || at === printed.length ? undefined : `the end, before: ${printed[at]}`;
}

describe('a line of a transcript', () => {
  it('is missed when it is not printed, in its place', () => {
    expect(findMissing(['a', '…', 'c'], 'a\nb\nc')).toBeUndefined();
    expect(findMissing(['a 1 … 3'], 'a 1 2 3')).toBeUndefined();
    expect(findMissing(['a', 'c'], 'a\nb\nc')).toBe('c');
    expect(findMissing(['…', 'd'], 'a\nb')).toBe('d');
    expect(findMissing(['a'], 'a\nb')).toBe('the end, before: b');
  });
});

describe.each([['README.md'], ['docs/first-minutes.md']])('the transcripts of %s', (page) => {
  let folder: string;
  let project: ProjectCopy;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'whodunit-transcript-'));
    project = copyProject(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const transcripts = readTranscripts(page);
  it('are there', () => expect(transcripts.length).toBeGreaterThan(1));

  it('are true, one after the other', async () => {
    for (const { command, lines } of transcripts) {
      const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      expect(words.slice(0, 2), command).toEqual(['npx', 'whodunit']);
      const { stdout, stderr } = await project.run(words.slice(2));
      const printed = `${stdout}${stderr}`.replaceAll(`${project.dir}/`, '');
      expect.soft(findMissing(lines, printed), command).toBeUndefined();
    }
  });
});
