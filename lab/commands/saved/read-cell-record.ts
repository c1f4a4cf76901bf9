import { isFolder } from '../../drivers/files/files.ts';
import { findTextInside } from '../../drivers/files/inside.ts';
import { cellRecordSchema, type CellRecord } from '../../model/evidence/cell-record.ts';
import { configProblem, ConfigError, HostError, type ConfigProblem } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { parseJson } from '../../model/files/parse-json.ts';
import { findTrueAddress } from '../../model/host/true-address.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { placeProblems } from '../../model/files/yaml-file.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import { listTwice } from '../../model/text/list-twice.ts';
import { spellPath } from '../context/spell-path.ts';

/** The record in a `cell.json`, or what is wrong with it. */
type Reading = { readonly record: CellRecord } | { readonly problems: readonly ConfigProblem[] };

/** Far more than the some kB of a record. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;
/** How many characters of a wrong value are shown. */
const MAX_SHOWN = 60;

/**
 * Reads the `cell.json` of a folder.
 *
 * @throws ConfigError with every problem of it.
 */
export function getCellRecord(folder: string): CellRecord {
  const reading = readOne(folder);
  if ('problems' in reading) throw refuse(reading.problems);
  return reading.record;
}

/**
 * Reads the `cell.json` of each folder, in their order: folder → record.
 *
 * @throws ConfigError with every problem of every file.
 */
export function readCellRecords(folders: readonly string[]): ReadonlyMap<string, CellRecord> {
  const records = new Map<string, CellRecord>();
  const problems = folders.flatMap((folder) => {
    const reading = readOne(folder);
    if ('problems' in reading) return reading.problems;
    records.set(folder, reading.record);
    return [];
  });
  if (problems.length > 0) throw refuse(problems);
  return records;
}

function refuse(problems: readonly ConfigProblem[]): ConfigError {
  return new ConfigError(problems, { what: 'what was saved', tryNext: hintFor(problems) });
}

function hintFor(problems: readonly ConfigProblem[]): string {
  return problems.some(isNewer)
    ? 'judge it with the version of whodunit that saved it, or a later one'
    : 'name the folder of a cell as a run saved it; docs/schemas/cell.schema.json says what is in its cell.json';
}

function isNewer({ path, received }: ConfigProblem): boolean {
  return path === 'formatVersion' && Number(received.split(' ')[0]) > FORMAT_VERSION;
}

function readOne(folder: string): Reading {
  const path = cellPaths(folder).record;
  const file = spellPath(path);
  const wrong = (expected: string, received: string, at = ''): Reading => ({
    problems: [{ file, path: at, expected, received }],
  });
  if (isFolder(path)) return wrong('a file', 'a folder');
  let text: string | undefined;
  try {
    text = findTextInside(folder, path, MAX_RECORD_BYTES);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return wrong('a file', error.message);
  }
  if (text === undefined) return wrong('a file', 'nothing');
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return wrong('JSON', text.trim() === '' ? 'an empty file' : `other text (${(error as Error).message})`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong('an object', cut(JSON.stringify(value)));
  // In a file of another format no other field is checked.
  const version = (value as { formatVersion?: unknown }).formatVersion;
  if (version !== FORMAT_VERSION) {
    const received = version === undefined ? 'nothing' : cut(JSON.stringify(version));
    const isLater = typeof version === 'number' && version > FORMAT_VERSION;
    return wrong(
      String(FORMAT_VERSION),
      isLater ? `${received} of a newer whodunit` : received,
      'formatVersion',
    );
  }
  const parsed = cellRecordSchema.safeParse(value);
  const problems = parsed.success
    ? listContradictions(file, parsed.data)
    : listZodProblems(file, cellRecordSchema, value, parsed.error);
  if (parsed.success && problems.length === 0) return { record: parsed.data };
  return { problems: placeProblems(problems, [{ path: file, text }]) };
}

/** Lists the fields that cannot be true together. */
function listContradictions(file: string, record: CellRecord): ConfigProblem[] {
  const { startedAt, deployedAt, endedAt, address, nodes, stimuli, lost } = record;
  const problems: ConfigProblem[] = [];
  const refuse = (path: string, expected: string, received: string): unknown =>
    problems.push(configProblem(file, path, expected, received));
  const expected = findTrueAddress(record);
  if (expected !== undefined)
    refuse('address', `${expected}, by its variant, scenario and parameters`, address);
  if (isBefore(deployedAt, startedAt))
    refuse('deployedAt', `a time that is not before startedAt (${startedAt})`, deployedAt);
  if (isBefore(endedAt, deployedAt))
    refuse('endedAt', `a time that is not before deployedAt (${deployedAt})`, endedAt);
  for (const [index, { at }] of stimuli.entries())
    if (isBefore(at, startedAt) || isBefore(endedAt, at))
      refuse(`stimuli.${index}.at`, `a time from startedAt (${startedAt}) to endedAt (${endedAt})`, at);
  const [twice] = listTwice(nodes);
  if (twice !== undefined) refuse('nodes', 'each node once', `${twice} twice`);
  for (const [index, { node }] of lost.entries())
    if (node !== undefined && !nodes.includes(node))
      refuse(`lost.${index}.node`, `one of ${nodes.join(', ')}`, node);
  return problems;
}

function isBefore(one: string, other: string): boolean {
  return Date.parse(one) < Date.parse(other);
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
