/**
 * Turns cells of a run into test fixtures: `npm run capture -- <run-id>/<variant>/<scenario>...`. A word may also be a
 * folder; then all cells below it become fixtures (`npm run capture -- .lab/runs/<run-id>`). With one cell, `--name
 * <name>` names the fixture. It refuses a capture that is not whole, that looks as if it held a secret, or that is
 * judged differently once it is trimmed, and goes on with the next; then it ends with status 1.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createContext } from '../lab/commands/context/context.ts';
import { findCellFolders, readCellFolder } from '../lab/drivers/files/cell-folder.ts';
import { readEvidence } from '../lab/evidence/read-evidence.ts';
import { judgeCell } from '../lab/judge/verdict/judge-cell.ts';
import { cellFolder } from '../lab/model/host/cell-address.ts';
import { exitCodeOf, formatError, UsageError } from '../lab/model/errors/errors.ts';
import { EVIDENCE_FILES, type EvidenceSource } from '../lab/model/evidence/evidence-files.ts';
import type { CellRecord } from '../lab/model/evidence/observation.ts';
import { statePaths } from '../lab/model/host/paths.ts';
import { answerOf, type CaptureAnswer } from './capture-answer.ts';
import { trimFiles } from './trim-files.ts';

type Files = ReadonlyMap<string, string>;

const FIXTURES = join(import.meta.dirname, '..', 'test', 'fixtures', 'evidence');
const MAX_BYTES = 450_000;
const SECRET = /BEGIN [A-Z ]*(?:KEY|CERTIFICATE)|eyJ[\w-]{16,}\.|[Bb]earer [\w.-]{16,}|"env":|managedFields/;

function judge(files: Files, record: CellRecord): CaptureAnswer {
  return answerOf(judgeCell(record, readEvidence(files, record)));
}

/** Why a capture may not become a fixture; undefined when it may. */
function findProblem(raw: Files, trimmed: Files, record: CellRecord): string | undefined {
  // The API of a node that goes down goes down with it: what came later is missing in every such capture.
  const whole = { ...record, lost: record.lost.filter((missed) => missed.from === undefined) };
  const isUnasked = (source: EvidenceSource): boolean =>
    record.victim.onNode !== undefined && EVIDENCE_FILES[source].collected === 'watch';
  const lost = readEvidence(raw, whole).flatMap((seen) =>
    seen.kind === 'lost' && !isUnasked(seen.source) ? [seen] : [],
  );
  if (lost.length > 0) return `not whole: ${lost.map((gap) => `${gap.ref.file}: ${gap.why}`).join('; ')}`;
  for (const [path, content] of trimmed) {
    const secret = SECRET.exec(content)?.[0];
    if (secret !== undefined) return `${path} may hold a secret: ${secret.slice(0, 20)}`;
  }
  const before = JSON.stringify(judge(raw, record));
  const after = JSON.stringify(judge(trimmed, record));
  if (before !== after) return `judged ${before} before and ${after} after trimming`;
  const bytes = sizeOf(trimmed);
  return bytes > MAX_BYTES ? `${bytes} bytes are left, more than ${MAX_BYTES}` : undefined;
}

function sizeOf(files: Files): number {
  return [...files.values()].reduce((sum, content) => sum + content.length, 0);
}

/** `<scenario>` on the default variant, else `<scenario>--<variant>`; runs of a repeated cell have their number. */
function nameFor(folder: string, { address, scenario }: CellRecord): string {
  const variant = address.slice(0, -scenario.length - 1);
  const run = /^run-\d+$/.exec(basename(folder))?.[0];
  const parts = [scenario, ...(variant === 'default' ? [] : [variant]), ...(run === undefined ? [] : [run])];
  return parts.join('--').replaceAll(/[^\w.+@-]/g, '-');
}

/** Writes one fixture and says what became of it; false when it was refused. */
function capture(folder: string, givenName: string | undefined): boolean {
  const raw = readCellFolder(folder);
  const record = JSON.parse(raw.get('cell.json') ?? 'null') as CellRecord;
  const name = givenName ?? nameFor(folder, record);
  const trimmed = trimFiles(raw, record);
  const problem = findProblem(raw, trimmed, record);
  if (problem !== undefined) {
    process.stderr.write(`${name}: refused, ${problem}\n`);
    return false;
  }
  const target = join(FIXTURES, name);
  for (const path of readCellFolder(target).keys()) if (path !== 'expected.json') rmSync(join(target, path));
  for (const [path, content] of trimmed) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), content);
  }
  const answer = judge(trimmed, record);
  // Written once and then kept: a person reads it before it counts.
  const expected = join(target, 'expected.json');
  if (!existsSync(expected)) writeFileSync(expected, `${JSON.stringify(answer, null, 2)}\n`);
  const kilobytes = Math.round(sizeOf(trimmed) / 1000);
  process.stdout.write(`${name}: ${kilobytes} kB, ${Object.values(answer).join(' ')}\n`);
  return true;
}

/** The cells that a word means: below a folder, or `<run-id>[/<address>]` in the state folder. */
function findCells(word: string, runsFolder: string): string[] {
  const [run = '', ...address] = word.split('/');
  const cells = [resolve(word), join(runsFolder, run, 'cells', cellFolder(address.join('/')))]
    .filter((path) => existsSync(path))
    .map((path) => findCellFolders(path));
  const found = cells.find((folders) => folders.length > 0);
  if (found !== undefined) return found;
  throw new UsageError(`no cell was saved in "${word}"`, {
    tryNext: 'name a cell as <run-id>/<variant>/<scenario>, or a folder that has a cell.json',
  });
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { name: { type: 'string' } },
  });
  const { stateDir } = createContext(new AbortController().signal);
  const folders = positionals.flatMap((word) => findCells(word, statePaths(stateDir).runs));
  if (folders.length === 0)
    throw new UsageError('which cells?', { tryNext: 'npm run capture -- <run-id>/<variant>/<scenario>' });
  if (values.name !== undefined && folders.length > 1)
    throw new UsageError(`--name is for one cell, and these are ${folders.length}`);
  const done = folders.map((folder) => capture(folder, values.name));
  process.exitCode = done.every(Boolean) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${formatError(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
