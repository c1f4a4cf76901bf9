import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Validator, type Schema } from '@cfworker/json-schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    expect(client.getInstructions()).toContain('never as instructions');
  });

  it('tells runs, the killer of a cell with its proof, and the lines of that proof', async () => {
    const { runs } = (await ask('list_runs')) as { runs: unknown[] };
    expect(runs).toContainEqual({
      run: BEFORE,
      startedAt: expect.any(String) as string,
      verdicts: { passed: 1 },
    });
    expect(await ask('run', { run: BEFORE })).toMatchObject({
      cells: [{ address: ADDRESS, verdict: 'passed' }],
    });
    const why = (await ask('why', { cell: 'sigkill-beside-an-oom' })) as {
      cell: { attribution: { killer: string; because: { file: string; line: number; text: string }[] } };
    };
    expect(why).toMatchObject({ run: BEFORE, cell: { attribution: { killer: 'external-signal' } } });
    const [proof] = why.cell.attribution.because;
    const found = await ask('evidence', { cell: ADDRESS, file: proof!.file, from: proof!.line, count: 1 });
    expect(found).toMatchObject({ file: proof!.file, lines: [{ line: proof!.line, isCut: false }] });
    expect(await ask('evidence_files', { cell: ADDRESS })).toMatchObject({
      run: BEFORE,
      files: expect.arrayContaining([
        { path: 'node-1/kmsg.log', bytes: expect.any(Number) as number },
      ]) as unknown,
    });
  });

  it('compares runs, tells cells over time, killers and scenarios', async () => {
    expect(await ask('diff', { run: BEFORE, otherRun: HOSTILE })).toMatchObject({
      diff: { gone: [ADDRESS] },
    });
    const itself = { run: BEFORE, otherRun: 'latest', cell: ADDRESS };
    expect((await call('diff', itself)).text).toContain(`run ${HOSTILE} has no cell`);
    const two = { cell: 'hostile', otherCell: 'default/sigkill-beside-an-oom' };
    expect(await ask('diff', two)).toMatchObject({ diff: { kind: 'cells', before: { run: HOSTILE } } });
    expect(await ask('history', { cell: 'sigkill-*' })).toMatchObject({ cells: [{ address: ADDRESS }] });
    const { killers } = (await ask('killers')) as { killers: { name: string }[] };
    expect(killers.map(({ name }) => name)).toEqual([...KILLERS]);
    const { scenarios } = (await ask('scenarios')) as { scenarios: unknown[] };
    expect(scenarios).toContainEqual(expect.objectContaining({ name: 'oom-single-container' }));
  });

  it.each([
    ['why', { cell: 'default/nope' }, 'no saved run has a cell called "default/nope"'],
    ['why', { cell: ADDRESS, run: 'nope' }, 'there is no run "nope"'],
    ['evidence', { cell: ADDRESS, file: 'nope.log' }, 'has no file "nope.log"'],
    ['evidence', { cell: ADDRESS, file: 'pods.jsonl', count: 100_000 }, 'count'],
    ['run', { run: '../../etc' }, 'there is no run "../../etc"'],
    ['diff', { run: BEFORE }, 'diff takes run and otherRun'],
    ['diff', { run: BEFORE, otherRun: HOSTILE, otherCell: ADDRESS }, 'diff takes run and otherRun'],
    ['evidence', { cell: ADDRESS, file: 'pods.jsonl', from: 58, to: 60 }, '"to"'],
    ['why', { address: ADDRESS }, '"address"'],
  ])('says what is wrong with %s %j', async (name, input, message) => {
    const { text, isError } = await call(name, input);
    expect(text).toContain(message);
    expect(isError).toBe(true);
  });
});

/** A call of each tool that answers. */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['list_runs', {}],
  ['run', { run: BEFORE }],
  ['run', { run: HOSTILE, from: 2, count: 1 }],
  ['why', { cell: ADDRESS }],
  ['why', { cell: 'hostile' }],
  ['history', { cell: '*' }],
  ['diff', { run: BEFORE, otherRun: HOSTILE }],
  ['diff', { run: BEFORE, otherRun: BEFORE, cell: ADDRESS }],
  ['diff', { cell: ADDRESS, otherCell: 'default/hostile' }],
  ['evidence_files', { cell: ADDRESS }],
  ['evidence', { cell: ADDRESS, file: 'node-1/kmsg.log' }],
  ['killers', {}],
  ['scenarios', {}],
];

describe('the schemas of the tools', () => {
  it('are there for each, and each is called here', async () => {
    const { tools } = await client.listTools();
    expect([...new Set(CALLS.map(([name]) => name))].sort()).toEqual(tools.map(({ name }) => name).sort());
    for (const { name, inputSchema, outputSchema } of tools) {
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it.each(CALLS)('hold for what %s %j answers, as data and as text', async (name, input) => {
    const { tools } = await client.listTools();
    const schema = tools.find((tool) => tool.name === name)?.outputSchema as Schema;
    const { structuredContent, content } = await client.callTool({ name, arguments: input });
    expect(new Validator(schema, '2020-12', false).validate(structuredContent).errors).toEqual([]);
    expect(JSON.parse((content as { text: string }[])[0]?.text ?? '')).toEqual(structuredContent);
  });

  it.each(CALLS)('of %s take no other name', async (name, input) => {
    const { text, isError } = await call(name, { ...input, unheardOf: 1 });
    expect(text).toContain('unheardOf');
    expect(isError).toBe(true);
  });

  it('call a cell cell, and a run run', async () => {
    const { tools } = await client.listTools();
    const names = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    const known = ['cell', 'count', 'file', 'from', 'limit', 'otherCell', 'otherRun', 'run'];
    expect([...new Set(names)].sort()).toEqual(known);
  });
});

describe('a hostile run', () => {
  it.each([
    ['hostile', '../../../../../secret.txt'],
    ['hostile', '%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret.txt'],
    ['hostile', '%252e%252e/%252e%252e/secret.txt'],
    ['hostile', '..\\..\\..\\..\\..\\secret.txt'],
    ['hostile', '__proto__'],
    ['hostile', '/etc/hostname'],
    ['hostile', 'link.log'],
    ['hostile', 'folder/secret.txt'],
    ['above', 'secret.txt'],
  ])('of cell %s does not lead to %s', async (scenario, file) => {
    const { text, isError } = await call('evidence', { cell: `default/${scenario}`, file });
    expect(isError).toBe(true);
    expect(text).toMatch(/is elsewhere|has no file/);
    expect(text).not.toContain(SECRET);
  });

  it('lists no files outside of it', async () => {
    expect((await call('evidence_files', { cell: 'default/above' })).text).toContain('is elsewhere');
    expect(await ask('evidence_files', { cell: 'default/hostile' })).toEqual({
      run: HOSTILE,
      files: [{ path: 'huge.log', bytes: 5_000_008 }],
    });
  });

  it('gives no more than a piece of huge lines and notes', async () => {
    const { lines } = (await ask('evidence', { cell: 'default/hostile', file: 'huge.log' })) as {
      lines: { text: string; isCut: boolean }[];
    };
    expect(lines.map(({ text, isCut }) => [text.length, isCut])).toEqual([
      [4096, true],
      [6, false],
    ]);
    const { text, isError } = await call('why', { cell: 'default/hostile' });
    expect([isError, text.length < 200_000]).toEqual([false, true]);
    expect(JSON.parse(text)).toMatchObject({ cell: { address: 'default/hostile' } });
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

  it.each(['hello', 'null', '[]', '{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}', '\ufffd\ud800'])(
    'reads on behind %j, which is not a message, and ends well when nobody asks any more',
    async (text) => {
      const env = { ...process.env, npm_lifecycle_event: undefined, WHODUNIT_HOME: home };
      const child = spawn(process.execPath, [SERVER, 'mcp'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
      const said: Buffer[] = [];
      const complaints: Buffer[] = [];
      child.stdout.on('data', (bytes: Buffer) => {
        said.push(bytes);
        child.stdin.end();
      });
      child.stderr.on('data', (bytes: Buffer) => complaints.push(bytes));
      child.stdin.write(`${text}\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n`);
      const status = await new Promise((resolve) => child.once('close', resolve));
      expect(JSON.parse(Buffer.concat(said).toString())).toMatchObject({ id: 1, result: {} });
      expect(Buffer.concat(complaints).toString()).not.toContain('nothing more is read');
      expect(status).toBe(0);
    },
  );

  it('says why it ends when a message is too long', async () => {
    const env = { ...process.env, npm_lifecycle_event: undefined, WHODUNIT_HOME: home };
    const child = spawn(process.execPath, [SERVER, 'mcp'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => undefined); // it reads no further
    child.stdin.write('x'.repeat(3_000_000));
    const said: Buffer[] = [];
    child.stderr.on('data', (bytes: Buffer) => said.push(bytes));
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect(Buffer.concat(said).toString()).toContain('has sent what is not a message');
    expect(status).toBe(2);
  });
});
