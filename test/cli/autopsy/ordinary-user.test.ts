import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { autopsySchema } from '../../../lab/model/saved/autopsy.ts';
import { PROJECT } from '../support/run-cli.ts';

/** `nobody` of most systems: it owns nothing here. */
const NOBODY = 65_534;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-ordinary-'));
  chmodSync(folder, 0o755);
  cpSync(join(PROJECT, 'test/fixtures/pastes/p01-oom-dmesg-T/input'), join(folder, 'evidence'), {
    recursive: true,
  });
  mkdirSync(join(folder, 'home'));
  chmodSync(join(folder, 'home'), 0o555);
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('whodunit autopsy', () => {
  it('names the killer for an ordinary user whose PATH has no program, and writes nothing', () => {
    const words = [join(PROJECT, 'bin/whodunit.mjs'), 'autopsy', join(folder, 'evidence'), '--json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      encoding: 'utf8',
      cwd: folder,
      env: { PATH: join(folder, 'home'), HOME: join(folder, 'home') },
      ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    expect(stderr).toBe('');
    const [death] = autopsySchema.parse(JSON.parse(stdout)).deaths;
    expect(death?.attribution).toMatchObject({ killer: 'memcg-oom', confidence: 'likely' });
    expect(status).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['evidence', 'home']);
    expect(readdirSync(join(folder, 'home'))).toEqual([]);
  });
});
