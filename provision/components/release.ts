import { chmodSync, copyFileSync, createReadStream, createWriteStream, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { nameLocked } from '../../lab/model/components/component-lock.ts';
import type { ComponentSourceOf } from '../../lab/model/components/components.ts';
import { HostError, InternalError } from '../../lab/model/errors/errors.ts';
import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';
import { digestFile } from './digest.ts';
import { findPublished, type Digest } from './published-checksum.ts';
import type { BuildContext, ComponentHost, NotAvailable, SourceResult } from './source.ts';

/** One download of a release source. */
export type ReleaseDownload = ComponentSourceOf<'release'>['downloads'][number];

/**
 * Downloads programs. Each download has to have the digest that is locked, or without a lock the one that its project
 * publishes with it.
 *
 * @returns not available when there is no such file or no published checksum, or a host does not answer, or a download
 *   is cut off.
 * @throws HostError LAB_COMPONENT_CHECKSUM when a download has another digest. No other source is tried then.
 */
export async function downloadRelease(
  context: BuildContext,
  source: ComponentSourceOf<'release'>,
): Promise<SourceResult> {
  const { download, signal } = context.host;
  if (download === undefined) return { ok: false, unavailable: 'downloads are turned off' };
  const facts: Record<string, string> = {};
  for (const [index, item] of source.downloads.entries()) {
    const known = context.lock.get(nameLocked(lockedName(context, item.url)));
    const expected =
      known === undefined
        ? await fetchPublished(context.host, item, join(context.workFolder, `checksum-${index}`))
        : { ok: true as const, digest: known.locked.digest as Digest, from: known.file };
    if (!expected.ok) return expected;
    const file = join(context.workFolder, `download-${index}`);
    context.update(`downloading ${item.url}`);
    const result = await download(item.url, file, { signal, timeoutMs: TIME_LIMITS.build.download.ms });
    if (!result.ok) return { ...result, unavailable: `${item.url}: ${result.unavailable}` };
    await checkDigest(context, item.url, file, expected);
    await unpack(context, item, file);
    facts[`url${index}`] = item.url;
    facts[`digest${index}`] = expected.digest;
    rmSync(file);
  }
  return { ok: true, facts };
}

const lockedName = ({ component, version }: BuildContext, url: string) =>
  ({ component, version, source: 'release', url }) as const;

/** A digest that a download has to have, and the file that says so. */
interface Expected {
  readonly digest: Digest;
  readonly from: string;
}

/**
 * Fetches the checksum that a project publishes for a download. Of a project that publishes none it is the one that
 * components.yaml has.
 *
 * @param file where the checksum file is saved
 */
export async function fetchPublished(
  host: ComponentHost,
  { url, checksum, digests }: ReleaseDownload,
  file: string,
): Promise<({ readonly ok: true } & Expected) | NotAvailable> {
  const [known] = Object.values(digests?.of ?? {});
  if (known !== undefined) return { ok: true, digest: known as Digest, from: digests?.from ?? '' };
  if (checksum === undefined) throw new InternalError(`nothing is known to compare ${url} with`);
  if (host.download === undefined) return { ok: false, unavailable: 'downloads are turned off' };
  const result = await host.download(checksum, file, {
    signal: host.signal,
    timeoutMs: TIME_LIMITS.build.checksum.ms,
  });
  if (!result.ok)
    return { ...result, unavailable: `no published checksum from ${checksum}: ${result.unavailable}` };
  const name = posix.basename(new URL(url).pathname);
  const digest = findPublished(readFileSync(file, 'utf8'), name);
  if (digest === undefined)
    return {
      ok: false,
      unavailable: `no published checksum: ${checksum} does not have exactly one digest of ${name}`,
    };
  return { ok: true, digest, from: checksum };
}

async function checkDigest(
  context: BuildContext,
  url: string,
  file: string,
  { digest, from }: Expected,
): Promise<void> {
  const algorithm = digest.startsWith('sha512:') ? 'sha512' : 'sha256';
  const received = `${algorithm}:${await digestFile(file, algorithm)}`;
  if (received === digest) return;
  throw new HostError(
    'LAB_COMPONENT_CHECKSUM',
    `${context.title}: a download has another digest than it must have`,
    {
      lastSeen: `${url}\n    expected ${digest} (${from})\n    received ${received}`,
      tryNext:
        'something on the way changes files, or the project changed a release: do not use it before you know which',
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
