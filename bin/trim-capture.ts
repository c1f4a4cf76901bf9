/**
 * Turns a cell's folder of a run into a test fixture:
 * `npx tsx bin/trim-capture.ts .lab/runs/<run>/cells/default/<scenario> [<name>]`.
 * It refuses a capture that is not whole, that looks as if it held a secret, or that is judged differently afterwards.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readCellFolder } from '../lab/drivers/cell-folder.ts';
import { readEvidence } from '../lab/evidence/read-evidence.ts';
import { judgeCell } from '../lab/judge/judge-cell.ts';
import type { CellRecord } from '../lab/model/observation.ts';
import { trimFiles } from './trim-files.ts';

const FIXTURES = join(import.meta.dirname, '..', 'test', 'fixtures', 'evidence');
const MAX_BYTES = 300_000;
const SECRET = /BEGIN [A-Z ]*(?:KEY|CERTIFICATE)|eyJ[\w-]{16,}\.|[Bb]earer [\w.-]{16,}|"env":|managedFields/;

function judge(files: ReadonlyMap<string, string>, record: CellRecord): Record<string, string> {
  const { attribution, verdict } = judgeCell(record, readEvidence(files, record));
  const { killer, level, confidence } = attribution;
  return { killer, ...(level === undefined ? {} : { level }), confidence, verdict };
}

/** Why a capture may not become a fixture; undefined when it may. */
function findProblem(
  raw: ReadonlyMap<string, string>,
  trimmed: ReadonlyMap<string, string>,
  record: CellRecord,
): string | undefined {
  const lost = readEvidence(raw, record).filter((each) => each.kind === 'lost');
  if (lost.length > 0) return `not whole: ${lost.map((each) => `${each.ref.file}: ${each.why}`).join('; ')}`;
  for (const [path, content] of trimmed) {
    const secret = SECRET.exec(content)?.[0];
    if (secret !== undefined) return `${path} may hold a secret: ${secret.slice(0, 20)}`;
  }
  const before = JSON.stringify(judge(raw, record));
  const after = JSON.stringify(judge(trimmed, record));
  if (before !== after) return `judged ${before} before and ${after} after trimming`;
  const bytes = [...trimmed.values()].reduce((sum, content) => sum + content.length, 0);
  return bytes > MAX_BYTES ? `${bytes} bytes are left, more than ${MAX_BYTES}` : undefined;
}

const [source = '', name = basename(source)] = process.argv.slice(2);
const raw = readCellFolder(source);
const recordText = raw.get('cell.json');
if (recordText === undefined) throw new Error(`no cell.json in "${source}": name a cell's folder of a run`);
const record = JSON.parse(recordText) as CellRecord;
const trimmed = trimFiles(raw, record);
const problem = findProblem(raw, trimmed, record);
if (problem !== undefined) throw new Error(problem);

const target = join(FIXTURES, name);
for (const path of readCellFolder(target).keys()) if (path !== 'expected.json') rmSync(join(target, path));
for (const [path, content] of trimmed) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), content);
  process.stdout.write(`${name}/${path}: ${raw.get(path)?.length ?? 0} -> ${content.length} bytes\n`);
}
// Written once and then kept: a person reads it before it counts.
const expected = join(target, 'expected.json');
if (!existsSync(expected)) writeFileSync(expected, `${JSON.stringify(judge(trimmed, record), null, 2)}\n`);
