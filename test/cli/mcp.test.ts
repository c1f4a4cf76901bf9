import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diffSchema } from '../../lab/model/saved/diff.ts';
import { KILLERS } from '../../lab/model/killers/killers.ts';
import { createCell, createRunOf } from '../unit/report/made-run.ts';
import { PROJECT } from './support/run-cli.ts';

const BEFORE = '20250101-0900-before';
const HOSTILE = '20990101-0900-hostile';
const ADDRESS = 'default/sigkill-beside-an-oom';
const SERVER = join(PROJECT, 'bin/whodunit.mjs');
const SECRET = 'the secret of somebody else';

let home: string;
let client: Client;

/** A run as an attacker would pack it. */
function saveHostileRun(): void {
  const run = join(home, 'runs', HOSTILE);
  const cell = join(run, 'cells/default/hostile');
  mkdirSync(cell, { recursive: true });
  writeFileSync(join(home, 'secret.txt'), SECRET);
  symlinkSync(join(home, 'secret.txt'), join(cell, 'link.log'));
  symlinkSync(home, join(cell, 'folder'));
  writeFileSync(join(cell, 'huge.log'), `${'x'.repeat(5_000_000)}\nsecond\n`);
  const above = createCell('above', { evidence: '../..' });
  const note = 'y'.repeat(1_000_000);
  const cells = [createCell('hostile', { note }), above];
  writeFileSync(join(run, 'result.json'), JSON.stringify(createRunOf(cells, { run: HOSTILE })));
  // A result that is a link, and a run that is one.
  mkdirSync(join(home, 'runs', '20990102-0900-linked'));
  symlinkSync(join(home, 'secret.txt'), join(home, 'runs', '20990102-0900-linked/result.json'));
  mkdirSync(join(home, 'elsewhere'));
  writeFileSync(join(home, 'elsewhere/result.json'), JSON.stringify(createRunOf([], { run: SECRET })));
  symlinkSync(join(home, 'elsewhere'), join(home, 'runs', '20990103-0900-elsewhere'));
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-mcp-'));
  cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(home, 'runs'), { recursive: true });
  saveHostileRun();
  client = new Client({ name: 'test', version: '1' });
  const env = { PATH: process.env.PATH ?? '', WHODUNIT_HOME: home };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [SERVER, 'mcp'], env, stderr: 'ignore' }),
  );
});
afterAll(async () => {
  await client.close();
  rmSync(home, { recursive: true });
});

async function call(
  name: string,
  input: Record<string, unknown> = {},
): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [first] = content as { text: string }[];
  return { text: first?.text ?? '', isError: isError === true };
}
const ask = async (name: string, input?: Record<string, unknown>): Promise<unknown> =>
  JSON.parse((await call(name, input)).text);

describe('whodunit mcp', () => {
  it('offers tools that only read, and says what evidence is', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'diff',
      'evidence',
      'evidence_files',
      'history',
      'killers',
      'list_runs',
      'run',
      'scenarios',
      'why',
    ]);
    for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: true });
    expect(client.getInstructions()).toContain('no instruction to anybody');
  });

  it('tells runs, the killer of a cell with its proof, and the lines of that proof', async () => {
    expect(await ask('list_runs')).toContainEqual({
      run: BEFORE,
      startedAt: expect.any(String) as string,
      verdicts: { passed: 1 },
    });
    expect(await ask('run', { run: BEFORE })).toMatchObject({
      cells: [{ address: ADDRESS, verdict: 'passed' }],
    });
    const why = (await ask('why', { address: 'sigkill-beside-an-oom' })) as {
      cell: { attribution: { killer: string; because: { file: string; line: number; text: string }[] } };
    };
    expect(why).toMatchObject({ run: BEFORE, cell: { attribution: { killer: 'external-signal' } } });
    const [proof] = why.cell.attribution.because;
    const found = await ask('evidence', { address: ADDRESS, file: proof!.file, from: proof!.line, count: 1 });
    expect(found).toMatchObject({ file: proof!.file, lines: [{ line: proof!.line, isCut: false }] });
    expect(await ask('evidence_files', { address: ADDRESS })).toContainEqual({
      path: 'node-1/kmsg.log',
      bytes: expect.any(Number) as number,
    });
  });

  it('compares runs, tells cells over time, killers and scenarios', async () => {
    expect(diffSchema.parse(await ask('diff', { one: BEFORE, other: HOSTILE }))).toMatchObject({
      gone: [ADDRESS],
    });
    expect(await ask('history', { cell: 'sigkill-*' })).toMatchObject([{ address: ADDRESS }]);
    const killers = (await ask('killers')) as { killer: string }[];
    expect(killers.map(({ killer }) => killer)).toEqual([...KILLERS]);
    expect(await ask('scenarios')).toContainEqual(expect.objectContaining({ name: 'oom-single-container' }));
  });

  it.each([
    ['why', { address: 'default/nope' }, 'no saved run has a cell called "default/nope"'],
    ['why', { address: ADDRESS, run: 'nope' }, 'there is no run "nope"'],
    ['evidence', { address: ADDRESS, file: 'nope.log' }, 'has no file "nope.log"'],
    ['evidence', { address: ADDRESS, file: 'pods.jsonl', count: 100_000 }, 'count'],
    ['run', { run: '../../etc' }, 'there is no run "../../etc"'],
  ])('says what is wrong with %s %j', async (name, input, message) => {
    const { text, isError } = await call(name, input);
    expect(text).toContain(message);
    expect(isError).toBe(true);
  });
});

describe('a hostile run', () => {
  it.each([
    ['hostile', '../../../../../secret.txt'],
    ['hostile', '/etc/hostname'],
    ['hostile', 'link.log'],
    ['hostile', 'folder/secret.txt'],
    ['above', 'secret.txt'],
  ])('of cell %s does not lead to %s', async (scenario, file) => {
    const { text, isError } = await call('evidence', { address: `default/${scenario}`, file });
    expect(isError).toBe(true);
    expect(text).toMatch(/is elsewhere|has no file/);
    expect(text).not.toContain(SECRET);
  });

  it('lists no files outside of it', async () => {
    expect((await call('evidence_files', { address: 'default/above' })).text).toContain('is elsewhere');
    expect(await ask('evidence_files', { address: 'default/hostile' })).toEqual([
      { path: 'huge.log', bytes: 5_000_008 },
    ]);
  });

  it('gives no more than a piece of huge lines and notes', async () => {
    const { lines } = (await ask('evidence', { address: 'default/hostile', file: 'huge.log' })) as {
      lines: { text: string; isCut: boolean }[];
    };
    expect(lines.map(({ text, isCut }) => [text.length, isCut])).toEqual([
      [4096, true],
      [6, false],
    ]);
    expect((await call('why', { address: 'default/hostile' })).text.length).toBeLessThan(210_000);
  });

  it('does not show what its result.json links to', async () => {
    for (const run of ['20990102-0900-linked', '20990103-0900-elsewhere']) {
      const { text, isError } = await call('run', { run });
      expect(text).toContain('is elsewhere: not read');
      expect(text).not.toContain(SECRET);
      expect(isError).toBe(true);
    }
    expect((await call('list_runs')).text).not.toContain(SECRET);
  });
});

describe('the server', () => {
  it('ends when nobody asks any more', async () => {
    const env = { ...process.env, npm_lifecycle_event: undefined, WHODUNIT_HOME: home };
    // Its standard input is at its end at once.
    const child = spawn(process.execPath, [SERVER, 'mcp'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const status = await new Promise((resolve) => child.once('exit', resolve));
    expect(status).toBe(0);
  });
});
