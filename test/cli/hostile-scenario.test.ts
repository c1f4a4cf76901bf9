import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from './run-cli.ts';
import { copyProject, type ProjectCopy } from './project-copy.ts';

const SECRET = 'the-secret-of-the-host';
const FOLDER = 'scenarios/from-a-stranger';

let base: string;
let project: ProjectCopy;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-stranger-'));
  project = copyProject(base);
  writeFileSync(join(base, 'secret'), `${SECRET}\n`);
});
afterAll(() => rmSync(base, { recursive: true }));
afterEach(() => rmSync(join(project.dir, FOLDER), { recursive: true, force: true }));

/** What a stranger puts in the place of a file of a scenario, and what is said of it. */
const TRAPS: readonly (readonly [string, string, (path: string) => void])[] = [
  [
    'a link to a file of the host',
    'a link that leads out of the project',
    (path) => symlinkSync(join(base, 'secret'), path),
  ],
  ['a pipe', 'a pipe, socket or device', (path) => void execFileSync('mkfifo', [path])],
  ['a link to a device without an end', 'a pipe, socket or device', (path) => symlinkSync('/dev/zero', path)],
  [
    'a file of a terabyte without content',
    '1099511627776 bytes',
    (path) => void execFileSync('truncate', ['-s', '1T', path]),
  ],
];

describe('a scenario of a stranger', () => {
  it.each(TRAPS)('with %s is refused as such, and nothing of it is read', async (_, said, make) => {
    const folder = join(project.dir, FOLDER);
    cpSync(join(PROJECT, 'scenarios/cpu-limit'), folder, { recursive: true });
    for (const file of ['samplers/usage.sh', 'manifests/pod.yaml']) {
      rmSync(join(folder, file));
      make(join(folder, file));
    }
    const { status, stdout, stderr } = await project.run(['list']);
    for (const file of ['samplers/usage.sh', 'manifests/pod.yaml'])
      expect(stderr).toContain(`${FOLDER}/${file}: expected a text file (UTF-8), received ${said}`);
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
});
