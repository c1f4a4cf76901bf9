import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Rejudged } from '../../lab/model/formats.ts';
import { PROJECT, runCli } from './run-cli.ts';

const CAPTURE = join(PROJECT, 'test/fixtures/evidence/sigkill-from-node');
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-cli-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('lab judge', () => {
  it('names the killer of a saved cell, with what to do, and that there is nothing to compare with', async () => {
    const { status, stdout, stderr } = await runCli(home, ['judge', CAPTURE]);
    expect(stderr).toBe('');
    expect(stdout).toContain('killer    external-signal (from-node), proven');
    expect(stdout).toMatch(/^do {8}\S/m);
    expect(stdout).toContain('since     there is no saved result to compare with');
    expect(status).toBe(0);
  });

  it('finds every cell of a run, and says what changed since its result was saved', async () => {
    const cell = join(home, 'runs/0101/cells/default/sigkill-from-node');
    cpSync(CAPTURE, cell, { recursive: true });
    const [first] = (JSON.parse((await runCli(home, ['judge', home, '--json'])).stdout) as Rejudged).cells;
    const saved = {
      ...{ address: first?.address, scenario: 'sigkill-from-node', expected: {}, evidence: '' },
      variant: (JSON.parse(readFileSync(join(cell, 'cell.json'), 'utf8')) as { variant: object }).variant,
      ...{ verdict: first?.verdict, attribution: first?.attribution, claims: first?.claims, mismatches: [] },
      timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 0 },
    };
    writeFileSync(join(cell, 'result.json'), JSON.stringify(saved));
    const same = await runCli(home, ['judge', home, '--json']);
    expect((JSON.parse(same.stdout) as Rejudged).cells[0]?.changed).toEqual([]);
    expect(same.status).toBe(0);

    const attribution = { ...first?.attribution, killer: 'unknown', confidence: 'none' };
    writeFileSync(join(cell, 'result.json'), JSON.stringify({ ...saved, attribution }));
    const changed = await runCli(home, ['judge', home]);
    expect(changed.stdout).toContain('since     killer: unknown -> external-signal');
    expect(changed.status).toBe(1);
  });

  it('says what it wants when there is no cell', async () => {
    const { status, stderr } = await runCli(home, ['judge', home]);
    expect(stderr).toContain('try: name a run (.lab/runs/<id>) or a folder that has a cell.json');
    expect(status).toBe(2);
  });
});
