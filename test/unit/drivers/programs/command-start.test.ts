import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../../lab/drivers/programs/command.ts';
import { isProcessAlive } from '../../../../lab/drivers/processes/liveness.mjs';
import { PROJECT } from '../../project-files.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'whodunit-start-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('a program that the lab starts', () => {
  it('gets the PATH of the lab, whatever ~/.bashrc says, also where cron or systemd start the lab', async () => {
    writeFileSync(join(folder, '.bashrc'), 'export PATH="/changed:$PATH"\n');
    for (const SHLVL of [undefined, '0', '3']) {
      const { stdout } = await runCommand('printenv', ['PATH'], { env: { HOME: folder, SHLVL } });
      expect(stdout.trim()).toBe(process.env.PATH);
    }
  });

  it('ends when the lab is killed', async () => {
    const script = `
      const { runCommand } = await import('${PROJECT}/lab/drivers/programs/command.ts');
      await runCommand('sleep', ['98766'], { onLine: () => undefined });`;
    const lab = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      cwd: PROJECT,
      stdio: 'ignore',
    });
    const findChild = async (): Promise<number> => {
      const { stdout } = await runCommand('ps', ['-o', 'pid=,comm=', '--ppid', String(lab.pid)], {
        okStatus: [0, 1],
      });
      return Number(/(\d+) sleep/.exec(stdout)?.[1] ?? 0);
    };
    await expect.poll(findChild).toBeGreaterThan(0);
    const child = await findChild();
    const ended = once(lab, 'exit');
    lab.kill('SIGKILL');
    await ended;
    await expect.poll(() => isProcessAlive(child)).toBe(false);
  });
});
