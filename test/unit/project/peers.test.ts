import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderClusterScript, renderJudgeScript } from '../../../bin/bench/peers/guest-scripts.ts';
import { NO_RC } from '../../bash.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the script that makes a cluster for the peers', () => {
  it('writes files as they are, and ends with the first step that fails', () => {
    const path = join(folder, 'new', 'config.toml');
    const text = `a = "$HOME 'quoted' \\n"\n`;
    const steps = [
      { name: '10-one', script: `echo "$NODE_NAME at $EPOCH" > ${folder}/one\n` },
      { name: '20-two', script: 'false\n' },
      { name: '30-three', script: `touch ${folder}/three\n` },
    ];
    const script = renderClusterScript([{ path, text }], steps, { NODE_NAME: `it's`, EPOCH: '1' });
    const { status } = spawnSync('bash', [NO_RC, '-c', script]);
    expect(status).toBe(1);
    expect(readFileSync(path, 'utf8')).toBe(text);
    // The time is that of the machine when it runs, not of the machine that wrote it.
    expect(readFileSync(join(folder, 'one'), 'utf8')).toMatch(/^it's at [0-9]{10}\n$/);
    expect(() => readFileSync(join(folder, 'three'))).toThrow('ENOENT');
  });
});

describe('the script that judges for the peers', () => {
  it('is a program that bash can read', () => {
    const script = renderJudgeScript([{ kind: 'Pod', metadata: { name: `it's` } }]);
    expect(spawnSync('bash', [NO_RC, '-n', '-c', script]).status).toBe(0);
    expect(script).toContain(`name: it'\\''s`);
  });
});
