import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import type { OciBlob } from '../../../../lab/model/declared/registry.ts';
import { buildGeneratedImage } from '../../../../provision/registry/generated-image.ts';

const MIB = 1024 * 1024;
const program = { name: 'sleeper', content: Buffer.from('a program') };

async function listEntries({ content }: OciBlob): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for await (const entry of Readable.from([content]).pipe(extract())) {
    found[entry.header.name] = entry.header.size ?? 0;
    entry.resume();
  }
  return found;
}

const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

describe('a generated image', () => {
  it('holds a program, which it runs, and as much data as was asked for', async () => {
    const { layer, config } = await buildGeneratedImage('127.0.0.1:5000/slow:1', 2, program);
    const { 'bin/sleeper': size, data } = await listEntries(layer);
    expect([size, data]).toEqual([program.content.length, 2 * MIB]);
    expect(gzipSync(layer.content).length).toBeGreaterThan(2 * MIB);
    expect(JSON.parse(String(config.content))).toMatchObject({
      config: { Cmd: ['/bin/sleeper'] },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    });
  });

  it('is described by its manifest, digest by digest', async () => {
    const { layer, config, manifest, mediaType } = await buildGeneratedImage('a', 1, program);
    for (const { content, digest } of [layer, config]) expect(digestOf(content)).toBe(digest);
    expect(JSON.parse(String(manifest))).toMatchObject({
      schemaVersion: 2,
      mediaType,
      config: { digest: config.digest, size: config.content.length },
      layers: [{ digest: layer.digest, size: layer.content.length }],
    });
  });

  it('is the same each time, and shares no layer with one of another name', async () => {
    const [one, again, other] = await Promise.all(
      ['a', 'a', 'b'].map((name) => buildGeneratedImage(name, 1, program)),
    );
    expect(again?.manifest).toEqual(one?.manifest);
    expect(other?.layer.digest).not.toBe(one?.layer.digest);
  });
});
