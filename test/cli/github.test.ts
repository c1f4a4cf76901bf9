import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, type Ended } from './support/run-cli.ts';
import { makeToolFolder } from './support/tool-folder.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'whodunit-github-'))));
afterEach(() => rmSync(home, { recursive: true }));

/** Runs a cell that a rule refuses: all that a run does but for machines. */
function runRefused(env: NodeJS.ProcessEnv): Promise<Ended> {
  const tools = makeToolFolder(home, { 'qemu-system-x86_64': 'qemu-boots' });
  const none = { GITHUB_ACTIONS: undefined, GITHUB_STEP_SUMMARY: undefined };
  return runCli(home, ['run', 'os=trixie', 'cgroup=v1', 'plain-exit'], { ...tools, ...none, ...env });
}

describe('a run', () => {
  it('writes the summary of its step in GitHub Actions, and its files', async () => {
    const summary = join(home, 'summary.md');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
    const { status, stdout } = await runRefused(env);
    expect(stdout).toContain('1 skipped');
    expect(status).toBe(0);
    expect(readFileSync(summary, 'utf8')).toContain('| skipped | `trixie_v1/plain-exit` |');
    const [run = ''] = readdirSync(join(home, 'runs'));
    expect(readdirSync(join(home, 'runs', run)).sort()).toEqual(['junit.xml', 'report.html', 'result.json']);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`report: ${join(home, 'runs', run, 'report.html')}`);
    expect((await runCli(home, ['report', run])).stdout).toContain('1 skipped');
  });

  it('leaves the summary alone elsewhere', async () => {
    const summary = join(home, 'summary.md');
    const { status } = await runRefused({ GITHUB_STEP_SUMMARY: summary });
    expect(status).toBe(0);
    expect(existsSync(summary)).toBe(false);
  });
});
