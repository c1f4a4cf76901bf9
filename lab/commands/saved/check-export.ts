import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { pathExists } from '../../drivers/files/files.ts';
import { findJsonInside, listInside, readPiecesInside } from '../../drivers/files/inside.ts';
import { formatVersionSchema } from '../../model/files/format-version.ts';
import { redactedSchema } from '../../model/saved/redacted.ts';
import type { Rejudged } from '../../model/saved/formats.ts';
import { spellPath } from '../context/spell-path.ts';
import { requireSaved } from './saved-file.ts';

/** The file in which `whodunit export` writes the digest of each file of a run. */
const CONTENTS = 'contents.json';
/** The most folders between a cell and its run: cells, variant, scenario, run of a repeated cell, and some to spare. */
const MAX_ABOVE = 6;
/** The most levels of folders in a run. */
const MAX_LEVELS = 12;
/** The files that `whodunit report` writes again. No verdict depends on them. */
const REPORTS = ['report.html', 'junit.xml'];

const contentsSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  sha256: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256')),
  redacted: redactedSchema.optional(),
});

/** A file of an unpacked export that is not what was exported. */
export type NotAsExported = NonNullable<Rejudged['notAsExported']>[number];

/**
 * Compares unpacked exports with their `contents.json`. Returns nothing when every file is as it was exported, and when the
 * cells are not in an export.
 *
 * @param folders the folders of cells.
 *
 * @throws HostError LAB_STATE_FILE when a `contents.json` cannot be read.
 */
export function checkExports(folders: readonly string[]): NotAsExported[] {
  const roots = new Set(folders.flatMap((folder) => findExport(folder) ?? []));
  return [...roots].flatMap(checkExport);
}

/** Returns the folder of the export that a cell is in; undefined when it is in none. */
function findExport(folder: string): string | undefined {
  let above = folder;
  for (let level = 0; level <= MAX_ABOVE; level += 1) {
    if (pathExists(join(above, CONTENTS))) return above;
    above = dirname(above);
  }
  return undefined;
}

function checkExport(root: string): NotAsExported[] {
  const path = join(root, CONTENTS);
  const file = { path, is: 'the contents of an export', move: 'it' } as const;
  const { sha256 } = requireSaved(file, contentsSchema, findJsonInside(root, CONTENTS) ?? null);
  const { files, others } = listInside(root, '.', MAX_LEVELS);
  const present = new Set(files.map((one) => one.path));
  const expected = new Map(Object.entries(sha256));
  const added = [...present, ...others].filter((name) => name !== CONTENTS && !expected.has(name));
  const found = [
    ...[...expected].flatMap(([name, digest]): [string, NotAsExported['is']][] => {
      if (!present.has(name)) return [[name, 'missing']];
      return digestOf(root, name) === digest ? [] : [[name, 'changed']];
    }),
    ...added.map((name): [string, NotAsExported['is']] => [name, 'added']),
  ];
  return found
    .filter(([name]) => !REPORTS.includes(name))
    .map(([name, is]) => ({ file: spellPath(join(root, name)), is }));
}

function digestOf(root: string, path: string): string {
  const hash = createHash('sha256');
  for (const piece of readPiecesInside(root, path)) hash.update(piece);
  return hash.digest('hex');
}
