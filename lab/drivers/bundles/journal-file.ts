import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { journalctlWords } from '../../model/evidence/journal-file.ts';
import { temporaryPrefix } from '../../model/host/paths.ts';
import type { BundleReading } from './bundle-reading.ts';

/**
 * Reads a binary journal by the real journalctl, as the lines of `-o json`. Its format is systemd's own, and a file may
 * have been written by a newer systemd: then journalctl says so, and that is said.
 */
export async function* readJournalFile(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  reading: BundleReading,
): AsyncGenerator<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), temporaryPrefix(process.pid)));
  try {
    const file = join(folder, 'given.journal');
    await pipeline(pieces, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
    yield* print(path, file, reading);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* print(path: string, file: string, reading: BundleReading): AsyncGenerator<Uint8Array> {
  const [journalctl, ...words] = journalctlWords(file);
  const program = spawn(journalctl, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  program.stderr.on('data', (piece: Buffer) => (said = `${said}${piece.toString()}`.slice(0, 400)));
  const ended = new Promise<string | undefined>((done) => {
    program.on('error', ({ message }) => done(message));
    program.on('close', (code) => done(code === 0 ? undefined : said.trim() || `exit code ${code}`));
  });
  try {
    yield* program.stdout as AsyncIterable<Uint8Array>;
    const why = await ended;
    if (why !== undefined)
      reading.skip(
        path,
        `is a binary journal, and journalctl did not print it (${why}): run journalctl --file … -o json where it can be read`,
      );
  } finally {
    program.kill('SIGKILL');
    await ended;
  }
}
