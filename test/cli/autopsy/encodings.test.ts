import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PASTES, usePasteFolders } from '../support/paste.ts';
import { runCli } from '../support/run-cli.ts';

const { folder, home } = usePasteFolders();

const INPUT = join(PASTES, 'p01-oom-dmesg-T/input');
const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

const little = (text: string): Buffer => Buffer.from(text, 'utf16le');
const big = (text: string): Buffer => little(text).swap16();

const ENCODINGS: readonly (readonly [name: string, encode: (text: string) => Buffer])[] = [
  ['utf-8-marked', (text) => Buffer.from(`\ufeff${text}`)],
  // `kubectl logs … > x.log` in PowerShell 5.
  ['utf-16-le-marked', (text) => little(`\ufeff${text}`)],
  ['utf-16-be-marked', (text) => big(`\ufeff${text}`)],
  ['utf-16-le', little],
  ['utf-16-be', big],
];

function write(name: string, change: (text: string) => Buffer): string {
  const at = join(folder, name, 'input');
  mkdirSync(at, { recursive: true });
  for (const file of readdirSync(INPUT))
    writeFileSync(join(at, file), change(readFileSync(join(INPUT, file), 'utf8')));
  return at;
}

async function askJson(at: string): Promise<string> {
  const { stdout } = await runCli(home, ['autopsy', at, '--json', '--pod', 'default/eater']);
  return stdout.replaceAll(at, '');
}

describe('text that Windows wrote', () => {
  it.each(ENCODINGS)('in %s has the answer of the same text', async (name, encode) => {
    const expected = await askJson(write('plain', (text) => Buffer.from(text)));
    expect(expected).toContain('"memcg-oom"');
    expect(await askJson(write(name, encode))).toBe(expected);
  });

  it('loses its secrets when it is saved', async () => {
    const secret = `kubelet: pulled with ${TOKEN}\n`;
    const at = write('secret', (text) => little(`\ufeff${text}${secret}`));
    const saved = join(folder, 'saved');
    const { status } = await runCli(home, ['autopsy', at, '--pod', 'default/eater', '--save', saved]);
    expect(status).toBe(0);
    const files = readdirSync(saved, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    for (const file of files) {
      const bytes = readFileSync(join(file.parentPath, file.name));
      for (const found of [TOKEN, little(TOKEN)]) expect(bytes.includes(found), file.name).toBe(false);
    }
  });

  it('is a report for `case` too', async () => {
    const report = join(folder, 'report.txt');
    writeFileSync(report, little('\ufeff# It dies\n\nkubelet v1.31.2, exit code 137\n'));
    expect((await runCli(home, ['case', report, '--json'])).stdout).toContain('1.31.2');
  });

  it.each([
    [
      'utf-32.log',
      Buffer.from([0xff, 0xfe, 0, 0, 65, 0, 0, 0]),
      /utf-32\.log is text in UTF-32: convert it first/,
    ],
    [
      'nul.log',
      Buffer.from('Nov 20 a\0\0b\nabc\0def\n'),
      /nul\.log: it is not text in UTF-8 or UTF-16, for it has NUL/,
    ],
  ])('that is in no encoding that is read is named: %s', async (name, bytes, says) => {
    const at = join(folder, name);
    writeFileSync(at, bytes);
    const { status, stderr } = await runCli(home, ['autopsy', at]);
    expect(stderr).toMatch(says);
    expect(status).toBe(2);
  });
});
