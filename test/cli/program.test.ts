import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyProject, type ProjectCopy } from './support/project-copy.ts';

const SOURCE = 'lab/commands/context/own-version.ts';
/** What else the source has. */
const NAME = `export const readOwnName = (): string => 'whodunit';\n`;
const DAY_S = 24 * 60 * 60;

let folder: string;
let copy: ProjectCopy;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-program-'));
  copy = copyProject(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

const programs = (): string => join(copy.dir, '.lab/program');
const listWritten = (): string[] => readdirSync(programs()).filter((name) => name.startsWith('written-'));
const sayVersion = (version: string): void =>
  copy.change(SOURCE, `export const readOwnVersion = (): string => '${version}';\n${NAME}`);
async function readVersion(): Promise<string> {
  const { status, stdout, stderr } = await copy.run(['--version']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trim();
}

describe('the program that is written from the sources', () => {
  it('is written once, and again when a source has changed', async () => {
    sayVersion('7.0.1');
    expect(await readVersion()).toBe('7.0.1');
    const first = listWritten();
    expect(first).toHaveLength(1);
    expect(await readVersion()).toBe('7.0.1');
    expect(listWritten()).toEqual(first);
    sayVersion('7.0.2');
    expect(await readVersion()).toBe('7.0.2');
  });

  it('leaves the state folder to its owner alone, where it is the first in it', async () => {
    await readVersion();
    expect(statSync(join(copy.dir, '.lab')).mode & 0o777).toBe(0o700);
  });

  it('is written once more when its record is broken or its files are gone', async () => {
    expect(await readVersion()).toMatch(/^\d/);
    writeFileSync(join(programs(), 'current.json'), '{"dir": 3}');
    expect(await readVersion()).toMatch(/^\d/);
    expect(listWritten()).toHaveLength(2);
    writeFileSync(join(programs(), 'current.json'), '{"dir": "written-", "sources": null}');
    expect(await readVersion()).toMatch(/^\d/);
    expect(listWritten()).toHaveLength(3);
    for (const name of listWritten()) rmSync(join(programs(), name), { recursive: true });
    expect(await readVersion()).toMatch(/^\d/);
    expect(listWritten()).toHaveLength(1);
  });

  it('is removed when another one has taken its place for a week', async () => {
    const now = Date.now() / 1000;
    for (const [name, days] of [
      ['written-old', 8],
      ['written-used', 6],
    ] as const) {
      mkdirSync(join(programs(), name), { recursive: true });
      utimesSync(join(programs(), name), now, now - days * DAY_S);
    }
    await readVersion();
    expect(listWritten()).toHaveLength(2);
    expect(listWritten()).toContain('written-used');
  });

  it('names the sources when it breaks', async () => {
    copy.change(
      SOURCE,
      `\n\nexport function readOwnVersion(): string {\n  throw new TypeError('broken');\n}\n${NAME}`,
    );
    const { status, stderr } = await copy.run(['--version']);
    expect(status).toBe(70);
    expect(stderr).toContain(`${SOURCE}:4:9`);
    expect(listWritten()).toHaveLength(1);
  });

  it('is done without where it cannot be written', async () => {
    mkdirSync(join(copy.dir, '.lab'));
    writeFileSync(programs(), 'somebody else has this name');
    sayVersion('7.0.3');
    expect(await readVersion()).toBe('7.0.3');
  });

  it('is not written of sources that were changed after it was begun', async () => {
    sayVersion('7.0.4');
    const begunBefore = '--import=data:text/javascript,Date.now=()=>0';
    const { stdout } = await copy.run(['--version'], { NODE_OPTIONS: begunBefore });
    expect(stdout).toBe('7.0.4\n');
    expect(listWritten()).toEqual([]);
  });

  it('is not taken for the reason when the sources are wrong', async () => {
    copy.change(SOURCE, 'export const readOwnVersion = (): string => ;\n');
    const { status, stderr } = await copy.run(['--version']);
    expect(status).not.toBe(0);
    expect(stderr).toContain('own-version.ts');
    expect(listWritten()).toEqual([]);
  });
});
