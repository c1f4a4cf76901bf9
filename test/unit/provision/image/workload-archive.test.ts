import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT_ARCHIVE, type Artifact } from '../../../../lab/model/components/components.ts';
import { UsageError } from '../../../../lab/model/errors/errors.ts';
import { buildWorkloadArchive } from '../../../../provision/image/workload-archive.ts';

const IMAGE = 'whodunit.local/eater:2.0';
const folder = mkdtempSync(join(tmpdir(), 'whodunit-archive-'));
afterAll(() => rmSync(folder, { recursive: true }));

function artifactOf(files: Readonly<Record<string, string | Buffer>>): Artifact {
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return [name, join(folder, name)];
  });
  return {
    component: 'eater',
    version: '2.0',
    source: 'gomod',
    digest: 'd',
    packages: [],
    files: Object.fromEntries(paths) as Record<string, string>,
  };
}

/** The members of a tar; `headers` gets what it says of each. */
async function readTar(content: Buffer, headers: Header[] = []): Promise<Map<string, Buffer>> {
  const members = new Map<string, Buffer>();
  const archive = Readable.from([content]).pipe(extract());
  for await (const entry of archive) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    members.set(entry.header.name, Buffer.concat(chunks));
    headers.push(entry.header);
  }
  return members;
}

describe('the archive of an image that one scenario needs', () => {
  it('has the programs of the component in /bin, under the name that manifests give it', async () => {
    const { image, content } = await buildWorkloadArchive(IMAGE, [artifactOf({ b: 'second', a: 'first' })]);
    expect(image).toBe(IMAGE);
    const members = await readTar(content);
    const [manifest] = JSON.parse(String(members.get('manifest.json'))) as [
      { RepoTags: string[]; Config: string; Layers: [string] },
    ];
    expect(manifest.RepoTags).toEqual([IMAGE]);
    expect(JSON.parse(String(members.get(manifest.Config)))).toMatchObject({ config: { Cmd: ['/bin/a'] } });
    const headers: Header[] = [];
    const layer = await readTar(members.get(manifest.Layers[0]) ?? Buffer.alloc(0), headers);
    expect([...layer].map(([path, text]) => [path, String(text)])).toEqual([
      ['bin', ''],
      ['bin/a', 'first'],
      ['bin/b', 'second'],
    ]);
    expect(headers.map(({ mode }) => (mode ?? 0) & 0o111)).toEqual([0o111, 0o111, 0o111]);
  });

  it('has the same bytes for the same programs, and others for others', async () => {
    const one = await buildWorkloadArchive(IMAGE, [artifactOf({ a: 'first', b: 'second' })]);
    const headers: Header[] = [];
    for (const [name, member] of await readTar(one.content, headers))
      if (name.endsWith('layer.tar')) await readTar(member, headers);
    expect(headers.length).toBeGreaterThan(3);
    expect(headers.filter(({ mtime, uid, gid }) => mtime?.getTime() !== 0 || uid !== 0 || gid !== 0)).toEqual(
      [],
    );
    const same = await buildWorkloadArchive(IMAGE, [artifactOf({ b: 'second', a: 'first' })]);
    expect(same.content.equals(one.content)).toBe(true);
    const other = await buildWorkloadArchive(IMAGE, [artifactOf({ a: 'third', b: 'second' })]);
    expect(other.content.equals(one.content)).toBe(false);
  });

  it('has the programs of several components, the first program of the first as its command', async () => {
    const { content } = await buildWorkloadArchive(IMAGE, [
      artifactOf({ b: 'second' }),
      artifactOf({ a: 'first' }),
    ]);
    const members = await readTar(content);
    const [manifest] = JSON.parse(String(members.get('manifest.json'))) as [
      { Config: string; Layers: [string] },
    ];
    expect(JSON.parse(String(members.get(manifest.Config)))).toMatchObject({ config: { Cmd: ['/bin/b'] } });
    const layer = await readTar(members.get(manifest.Layers[0]) ?? Buffer.alloc(0));
    expect([...layer.keys()]).toEqual(['bin', 'bin/a', 'bin/b']);
    const twice = [artifactOf({ a: 'first' }), artifactOf({ a: 'other' })];
    await expect(buildWorkloadArchive(IMAGE, twice)).rejects.toThrow('two components have a program a');
  });

  it('has the packages of a root file system below, and programs where Debian puts none', async () => {
    const root = Buffer.from('a tar');
    const compressed = gzipSync(root);
    const { content } = await buildWorkloadArchive(IMAGE, [
      artifactOf({ [ROOT_ARCHIVE]: compressed }),
      artifactOf({ a: 'first' }),
    ]);
    const members = await readTar(content);
    const [manifest] = JSON.parse(String(members.get('manifest.json'))) as [
      { Config: string; Layers: [string, string] },
    ];
    expect(members.get(manifest.Layers[0])).toEqual(compressed);
    const layer = await readTar(members.get(manifest.Layers[1]) ?? Buffer.alloc(0));
    expect([...layer.keys()]).toEqual(['usr', 'usr/local', 'usr/local/bin', 'usr/local/bin/a']);
    const config = JSON.parse(String(members.get(manifest.Config))) as {
      config: Record<string, unknown>;
      rootfs: { diff_ids: string[] };
    };
    // The digest is that of the tar, not of what gzip makes of it.
    const digest = createHash('sha256').update(root).digest('hex');
    expect(config.rootfs.diff_ids[0]).toBe(`sha256:${digest}`);
    expect(config.config).not.toHaveProperty('Cmd');
  });

  it('cannot be made of packages of the suite', async () => {
    await expect(buildWorkloadArchive(IMAGE, [artifactOf({})])).rejects.toThrow(UsageError);
  });
});
