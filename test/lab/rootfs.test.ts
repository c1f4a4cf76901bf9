import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseComponents, ROOT_ARCHIVE } from '../../lab/model/components/components.ts';
import { ensureComponents } from '../../provision/components/components.ts';
import { createTestHost } from './stack-host.ts';

const SHIPPED = parseComponents(readFileSync(join(import.meta.dirname, '../../components.yaml'), 'utf8'));
const CATALOGUE = parseComponents(`
formatVersion: 1
debian: ${JSON.stringify(SHIPPED.debian)}
components:
  tool:
    about: a package that needs no other but the C library
    versions: { bookworm: bookworm }
    sources: [{ kind: rootfs, suite: '{version}', packages: [zlib1g] }]
`);

describe('packages of a Debian suite as a root file system', () => {
  const home = mkdtempSync(join(tmpdir(), 'whodunit-rootfs-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('come with what they need, without manuals, and once', async () => {
    const host = createTestHost(home);
    const [tool] = await ensureComponents(host, CATALOGUE, [{ name: 'tool' }]);
    expect(tool).toMatchObject({ source: 'rootfs', version: 'bookworm', packages: [] });
    const archive = tool?.files[ROOT_ARCHIVE] ?? '';
    const { stdout } = await host.run('tar', ['--list', '--gzip', '--file', archive]);
    expect(stdout).toMatch(/\/libz\.so\.1$/m);
    expect(stdout).toMatch(/\/libc\.so\.6$/m);
    expect(stdout).not.toMatch(/\/usr\/share\/doc\/./);
    expect(await ensureComponents(host, CATALOGUE, [{ name: 'tool' }])).toEqual([tool]);
  });
});
