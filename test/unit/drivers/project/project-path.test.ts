import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { whyNotOfProject } from '../../../../lab/drivers/project/project-path.ts';

const OUTSIDE = 'is outside of the project';
const HIDDEN = 'is hidden, or in a hidden folder of the project';

let base: string;
let project: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-project-path-'));
  // A project below a hidden folder is a project like any other.
  project = join(base, '.work/project');
  for (const folder of ['.lab/keys', 'out', '../project-beside'])
    mkdirSync(join(project, folder), { recursive: true });
  for (const file of ['.lab/keys/id', '.npmrc', 'out/runsc', '../project-beside/file'])
    writeFileSync(join(project, file), '');
  symlinkSync('../../project-beside', join(project, 'out/beside'));
  symlinkSync('../.lab/keys/id', join(project, 'out/key'));
  symlinkSync('runsc', join(project, 'out/link'));
  symlinkSync(project, join(base, 'link-to-project'));
});
afterAll(() => rmSync(base, { recursive: true }));

it.each([
  ['out/runsc', undefined],
  ['out/link', undefined],
  ['out/missing', undefined],
  ['.', undefined],
  ['../project-beside/file', OUTSIDE],
  ['out/beside/file', OUTSIDE],
  ['out/beside/missing', OUTSIDE],
  ['/etc/passwd', OUTSIDE],
  ['/', OUTSIDE],
  ['.npmrc', HIDDEN],
  ['.lab/keys/id', HIDDEN],
  ['.lab/missing', HIDDEN],
  ['out/key', HIDDEN],
])('knows whether %s is a file of the project', (path, why) => {
  expect(whyNotOfProject(project, join(path.startsWith('/') ? '' : project, path))).toBe(why);
});

it('resolves links of the project folder itself', () => {
  const byLink = join(base, 'link-to-project');
  expect(whyNotOfProject(byLink, join(project, 'out/runsc'))).toBeUndefined();
  expect(whyNotOfProject(project, join(byLink, 'out/runsc'))).toBeUndefined();
});
