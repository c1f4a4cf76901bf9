import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseComponents } from '../../../../lab/model/components/components.ts';
import type { RunCommand } from '../../../../lab/model/host/host.ts';
import { ensureComponents } from '../../../../provision/components/components.ts';
import { createQuietHost, quietProgress } from '../../../quiet-host.ts';
import { PROJECT } from '../../project-files.ts';

const PROGRAM = Buffer.from('#!/bin/sh\necho packaged\n');
const CATALOGUE = parseComponents(`
formatVersion: 1
debian: { archive: 'http://mirror.test/debian/', security: 'http://mirror.test/debian-security/' }
components:
  tool:
    about: a tool
    versions: { '1.2': 1.2.3 }
    sources: [{ kind: deb, package: tool, members: { tool: usr/bin/tool-static } }]
`);

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'deb-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ensureTool = (run: RunCommand) =>
  ensureComponents(
    {
      ...createQuietHost(folder, { run, projectDir: PROJECT }),
      progress: quietProgress,
    },
    CATALOGUE,
    [{ name: 'tool', version: '1.2.3' }],
  );

describe('a package of the host', () => {
  /** An apt that has this version of the package, and a package that has these files. */
  const aptWith =
    (version: string | undefined, files: readonly string[], isDown = false): RunCommand =>
    (program, args, options) => {
      const done = (stdout = '', status = 0) =>
        Promise.resolve({ status, stdout, stderr: status === 0 ? '' : 'E: it is down' });
      if (program === 'apt-cache')
        return version === undefined ? done('', 100) : done(`Package: tool\nVersion: ${version}\n`);
      if (program === 'apt-get') {
        if (isDown) return done('', 100);
        writeFileSync(join(options?.cwd ?? '', 'tool_1.2.3_amd64.deb'), args.join(' '));
        return done();
      }
      const target = args.at(-1) ?? '';
      for (const file of files) {
        mkdirSync(join(target, 'usr/bin'), { recursive: true });
        writeFileSync(join(target, file), PROGRAM);
      }
      return done();
    };

  it('gives its programs under their names, when it is of that version', async () => {
    const [tool] = await ensureTool(aptWith('1:1.2.3-1+b3', ['usr/bin/tool-static']));
    expect(tool).toMatchObject({ source: 'deb', version: '1.2.3' });
    expect(readFileSync(tool?.files.tool ?? '')).toEqual(PROGRAM);
    expect(statSync(tool?.files.tool ?? '').mode & 0o111).toBe(0o111);
  });

  it.each([
    ['of another version', aptWith('1.2.30-1', []), "the host's apt has tool 1.2.30-1"],
    ['that apt does not know', aptWith(undefined, []), "the host's apt has no package tool"],
    ['that does not come', aptWith('1.2.3-1', [], true), 'E: it is down'],
  ])('%s leaves the next source its turn', async (_, apt, why) => {
    await expect(ensureTool(apt)).rejects.toMatchObject({
      code: 'LAB_COMPONENT_UNAVAILABLE',
      lastSeen: expect.stringContaining(why) as string,
    });
  });

  it('without the program is a mistake of the catalogue', async () => {
    await expect(ensureTool(aptWith('1.2.3-1', []))).rejects.toMatchObject({
      code: 'LAB_COMPONENT_ARCHIVE',
    });
  });
});
