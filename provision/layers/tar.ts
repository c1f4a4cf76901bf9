import { existsSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Host } from '../../lab/model/host/host.ts';
import type { Inputs } from '../../lab/model/components/inputs.ts';
import { cachePaths, tarCompanions } from '../../lab/model/host/paths.ts';
import type { EntryKind } from '../cache/entry-kind.ts';
import { ensureEntry } from '../cache/entry.ts';
import { readRecord } from '../cache/read-record.ts';
import { runMmdebstrap, type Bootstrap } from '../image/mmdebstrap.ts';
import { FORMAT_VERSION } from '../../lab/model/files/format-version.ts';

/** `<tar>.json`: what the tar next to it was made of. Tars of versions before this record have none. */
const recordSchema = z.strictObject({
  formatVersion: z.literal(1),
  inputs: z.record(z.string(), z.string()),
});

/** Tars in `rootfs/` that go by one title; the entry is the absolute path of the tar. */
export function tarKind(
  cacheDir: string,
  names: Pick<EntryKind<string>, 'title' | 'holds' | 'nameOf' | 'sharing'>,
): EntryKind<string> {
  return {
    ...names,
    folder: cachePaths(cacheDir).rootfs,
    find: (path) => (existsSync(path) ? path : undefined),
    findInputs: (path) => recordSchema.safeParse(readRecord(tarCompanions(path).record)).data?.inputs,
    usedFile: (path) => path,
  };
}

/**
 * Finds a tar in the cache or makes it by mmdebstrap. What mmdebstrap said is in `<path>.log`.
 *
 * @throws CommandError when mmdebstrap fails.
 */
export function ensureTar(
  host: Host,
  kind: EntryKind<string>,
  inputs: Inputs,
  bootstrap: Bootstrap,
): Promise<string> {
  return ensureEntry(host, {
    kind,
    inputs,
    make: ({ out, path, why }) =>
      host.progress.step(`${kind.title} (${why})`, async (update) => {
        const { record, log } = tarCompanions(path);
        await runMmdebstrap(host, bootstrap, out, log, update);
        writeFileSync(record, `${JSON.stringify({ formatVersion: FORMAT_VERSION, inputs }, null, 2)}\n`);
      }),
  });
}
