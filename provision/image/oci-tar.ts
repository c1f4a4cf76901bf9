import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';

/** One entry of the layer that is made here; `path` has no leading slash. */
export type LayerEntry =
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Buffer }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string }
  | { readonly kind: 'folder'; readonly path: string; readonly mode?: number };

/** What a container runtime is told about an image. */
export interface ContainerImageConfig {
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  /** Sent instead of SIGTERM to stop a container: `SIGRTMIN+3`. */
  readonly stopSignal?: string;
  /** Default: the usual search path. */
  readonly path?: string;
}

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Builds a container image as a docker-archive tar (what `docker save` writes and `ctr images import` reads). Its last
 * layer is made of the entries and not compressed. The same input gives the same bytes: entries are sorted, times and
 * owners are zero.
 *
 * @param below layers under it, lowest first: tars that gzip compressed.
 *
 * Format: https://github.com/moby/docker-image-spec/blob/main/v1.2.md#combined-image-json--filesystem-changeset-format
 */
export async function buildImageTar(
  name: string,
  config: ContainerImageConfig,
  entries: readonly LayerEntry[],
  below: readonly Buffer[] = [],
): Promise<Buffer> {
  const own = await buildLayer(entries);
  // An image names a layer by the digest of its tar, however that is compressed.
  const layers = [
    ...below.map((content) => ({ content, digest: sha256(gunzipSync(content)) })),
    { content: own, digest: sha256(own) },
  ].map((layer) => ({ ...layer, file: `${layer.digest}/layer.tar` }));
  const json = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      created: '1970-01-01T00:00:00Z',
      config: {
        Env: [`PATH=${config.path ?? DEFAULT_PATH}`],
        ...(config.entrypoint === undefined ? {} : { Entrypoint: config.entrypoint }),
        ...(config.command === undefined ? {} : { Cmd: config.command }),
        ...(config.stopSignal === undefined ? {} : { StopSignal: config.stopSignal }),
      },
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => `sha256:${digest}`) },
      history: layers.map(() => ({ created: '1970-01-01T00:00:00Z', created_by: 'whodunit' })),
    }),
  );
  const configFile = `${sha256(json)}.json`;
  const manifest = [{ Config: configFile, RepoTags: [name], Layers: layers.map(({ file }) => file) }];
  return writeTar([
    ...layers.map(({ file, content }) => ({ kind: 'file' as const, path: file, mode: 0o644, content })),
    { kind: 'file', path: configFile, mode: 0o644, content: json },
    { kind: 'file', path: 'manifest.json', mode: 0o644, content: Buffer.from(JSON.stringify(manifest)) },
  ]);
}

/** Builds the layer: the entries and every folder above them, sorted by path. */
export async function buildLayer(entries: readonly LayerEntry[]): Promise<Buffer> {
  const all = new Map<string, LayerEntry>();
  for (const entry of entries) {
    const parts = entry.path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/');
      if (!all.has(folder)) all.set(folder, { kind: 'folder', path: folder });
    }
    all.set(entry.path, entry);
  }
  return writeTar([...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1)));
}

async function writeTar(entries: readonly LayerEntry[]): Promise<Buffer> {
  const archive = pack();
  const chunks: Buffer[] = [];
  const done = (async () => {
    for await (const chunk of archive) chunks.push(chunk as Buffer);
  })();
  for (const entry of entries) await addEntry(archive, entry);
  archive.finalize();
  await done;
  return Buffer.concat(chunks);
}

async function addEntry(archive: Pack, entry: LayerEntry): Promise<void> {
  const fixed = { name: entry.path, mtime: new Date(0), uid: 0, gid: 0 };
  await new Promise<void>((resolve, reject) => {
    const finish = (error?: Error | null): void => (error ? reject(error) : resolve());
    if (entry.kind === 'file') {
      archive.entry({ ...fixed, mode: entry.mode, type: 'file' }, entry.content, finish);
    } else if (entry.kind === 'symlink') {
      archive.entry({ ...fixed, mode: 0o777, type: 'symlink', linkname: entry.target }, finish);
    } else {
      archive.entry({ ...fixed, mode: entry.mode ?? 0o755, type: 'directory' }, finish);
    }
  });
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
