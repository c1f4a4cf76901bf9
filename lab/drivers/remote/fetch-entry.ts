import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError, InterruptedError } from '../../model/errors/errors.ts';
import type { EntryToFetch, RemoteEntry } from '../../model/host/remote-cache.ts';
import { digestInputs } from '../../model/components/inputs.ts';
import { sum } from '../../model/text/sum.ts';
import { pathExists, readBytes } from '../files/files.ts';
import {
  digestOfBytes,
  findConfigBlob,
  parseEntryConfig,
  type RemoteConfig,
  type RemoteFile,
  type RemotePiece,
} from './entry-format.ts';
import { unpackPiece, writeWithHoles } from './pieces.ts';
import type { RegistryClient } from './registry-client.ts';
import { makeFolders } from '../files/make-folders.ts';

/** What fetching needs. */
export interface Fetching {
  readonly registry: RegistryClient;
  readonly title: string;
  /** Where pieces are kept until their entry is whole, so that a later attempt does not fetch them again. */
  readonly transfers: string;
  readonly signal: AbortSignal;
}

/**
 * Finds an entry in a registry, and reads what it is.
 *
 * @throws HostError LAB_REMOTE_CACHE; LAB_REMOTE_DAMAGED when it is not the one that is wanted.
 */
export async function findRemoteEntry(
  fetching: Fetching,
  wanted: EntryToFetch,
): Promise<RemoteEntry | undefined> {
  const { registry, signal } = fetching;
  const manifest = await registry.findManifest(wanted.tag, signal);
  if (manifest === undefined) return undefined;
  const blob = findConfigBlob(manifest);
  const content = blob && (await registry.findBlob(blob.digest, blob.size, signal));
  if (content === undefined || digestOfBytes(content) !== blob?.digest)
    throw damaged(fetching, wanted.tag, 'its manifest and its configuration do not belong together');
  const config = parseEntryConfig(content);
  if (config === undefined || !isWanted(config, wanted))
    throw damaged(fetching, wanted.tag, 'it says that it is another entry');
  const pieces = config.files.flatMap((file) => file.pieces);
  return {
    packedBytes: sum(pieces.map(({ packedBytes }) => packedBytes)),
    fetchInto: async (folder, progress) => {
      try {
        for (const file of config.files) await fetchFile(fetching, wanted.tag, { folder, file, progress });
      } catch (error) {
        // Pieces are kept for the next attempt, but not on a full disk: now the entry has to be made there.
        if (!isFull(error)) throw error;
        forget(fetching, pieces);
        throw error;
      }
      forget(fetching, pieces);
    },
  };
}

function isWanted({ kind, inputs, files }: RemoteConfig, wanted: EntryToFetch): boolean {
  return (
    kind === wanted.kind &&
    digestInputs(inputs) === digestInputs(wanted.inputs) &&
    files.every(({ name }) => wanted.mayHold(name))
  );
}

interface FileToFetch {
  readonly folder: string;
  readonly file: RemoteFile;
  readonly progress: (fetchedBytes: number) => void;
}

async function fetchFile(fetching: Fetching, tag: string, { folder, file, progress }: FileToFetch) {
  const out = await open(join(folder, file.name), 'wx', file.isProgram ? 0o755 : 0o644);
  try {
    await out.chmod(file.isProgram ? 0o755 : 0o644);
    await out.truncate(file.bytes);
    for (const piece of file.pieces) {
      const packed = await getPiece(fetching, tag, piece);
      const content = await unpackPiece(packed, piece.bytes);
      if (content === undefined) throw damaged(fetching, tag, `${piece.digest} does not unpack`);
      await writeWithHoles(out, content, piece.at);
      progress(piece.packedBytes);
    }
  } finally {
    await out.close();
  }
}

/** The bytes of a piece: kept by an earlier attempt, or fetched; of the right digest in either case. */
async function getPiece(fetching: Fetching, tag: string, piece: RemotePiece): Promise<Buffer> {
  const { registry, signal } = fetching;
  if (signal.aborted) throw new InterruptedError();
  const { digest, packedBytes } = piece;
  const path = keptPath(fetching, digest);
  const kept = pathExists(path) ? readBytes(path) : undefined;
  if (kept !== undefined && digestOfBytes(kept) === digest) return kept;
  const content = await registry.findBlob(digest, packedBytes, signal);
  if (content === undefined) throw damaged(fetching, tag, `${digest} is not there`);
  const came = digestOfBytes(content);
  if (came !== digest) throw damaged(fetching, tag, `${digest} came as ${came}`);
  keep(fetching, path, content);
  return content;
}

function keep({ transfers }: Fetching, path: string, content: Buffer): void {
  const draft = join(transfers, `${randomUUID()}.${process.pid}.tmp`);
  try {
    makeFolders(transfers);
    writeFileSync(draft, content);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function forget(fetching: Fetching, pieces: readonly RemotePiece[]): void {
  for (const { digest } of pieces) rmSync(keptPath(fetching, digest), { force: true });
}

function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function keptPath({ transfers }: Fetching, digest: string): string {
  return join(transfers, digest.replace(':', '-'));
}

function damaged({ title }: Fetching, tag: string, why: string): HostError {
  return new HostError('LAB_REMOTE_DAMAGED', `${title}:${tag} is damaged`, {
    lastSeen: why,
    tryNext: 'remove it from the registry, then run `npx whodunit cache push` on a host that has it',
  });
}
