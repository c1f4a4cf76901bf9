import { chmodSync, createReadStream, createWriteStream, copyFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { SourceOf } from '../../lab/model/components.ts';
import { HostError } from '../../lab/model/errors.ts';
import { digestFile } from './digest.ts';
import type { BuildContext, SourceResult } from './source.ts';

const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;

type ReleaseDownload = SourceOf<'release'>['downloads'][number];

/**
 * Downloads programs and compares each download with its pinned digest.
 *
 * @returns not available when a version has no digest, or a download fails (refused, HTTP error, cut short).
 * @throws HostError when a download has another digest than the pinned one. No other source is tried then.
 */
export async function downloadRelease(
  context: BuildContext,
  source: SourceOf<'release'>,
): Promise<SourceResult> {
  const { download } = context.host;
  if (download === undefined) return { ok: false, unavailable: 'downloads are turned off' };
  const unpinned = source.downloads.find((each) => each.sha256[context.version] === undefined);
  if (unpinned !== undefined) return { ok: false, unavailable: `no digest is pinned for ${unpinned.url}` };
  const facts: Record<string, string> = {};
  for (const [index, each] of source.downloads.entries()) {
    const file = join(context.workFolder, `download-${index}`);
    context.update(`downloading ${each.url}`);
    const result = await download(each.url, file, {
      signal: context.host.signal,
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    });
    if (!result.ok) return { ok: false, unavailable: `${each.url}: ${result.unavailable}` };
    await checkDigest(context, each, file);
    await unpack(context, each, file);
    facts[`url${index}`] = each.url;
  }
  return { ok: true, facts };
}

async function checkDigest(context: BuildContext, download: ReleaseDownload, file: string): Promise<void> {
  const expected = download.sha256[context.version];
  const received = await digestFile(file);
  if (received === expected) return;
  throw new HostError(
    'LAB_COMPONENT_CHECKSUM',
    `${context.title}: the download is not the file that is pinned`,
    {
      lastSeen: `${download.url}\n    expected sha256 ${expected}\n    received sha256 ${received}`,
      tryNext:
        'compare both with the digest that the project publishes; then correct components.yaml or the mirror',
    },
  );
}

async function unpack(context: BuildContext, download: ReleaseDownload, file: string): Promise<void> {
  const members = download.members;
  if (members === undefined) {
    const target = join(context.outFolder, download.binary ?? '');
    copyFileSync(file, target);
    chmodSync(target, 0o755);
    return;
  }
  const missing = await extractMembers(file, members, context.outFolder);
  if (missing.length === 0) return;
  throw new HostError('LAB_COMPONENT_ARCHIVE', `${context.title}: ${missing.join(', ')} not in the archive`, {
    lastSeen: download.url,
    tryNext: `list the archive with \`tar -tf\` and correct \`members\` in components.yaml`,
  });
}

/** Writes the wanted members of a .tar or .tar.gz as programs; returns the paths that were not in it. */
async function extractMembers(
  archive: string,
  members: Readonly<Record<string, string>>,
  outFolder: string,
): Promise<string[]> {
  const wanted = new Map(Object.entries(members).map(([name, path]) => [posix.normalize(path), name]));
  const entries = extract();
  const reading = pipeline(
    createReadStream(archive),
    (await isGzip(archive)) ? createGunzip() : new PassThrough(),
    entries,
  );
  const writing = (async () => {
    for await (const entry of entries) {
      const path = posix.normalize(entry.header.name);
      const name = entry.header.type === 'file' ? wanted.get(path) : undefined;
      if (name === undefined) {
        entry.resume();
        continue;
      }
      await pipeline(entry, createWriteStream(join(outFolder, name), { mode: 0o755 }));
      wanted.delete(path);
    }
  })();
  await Promise.all([reading, writing]);
  return [...wanted.keys()];
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE(0) === 0x1f8b;
  } finally {
    await file.close();
  }
}
