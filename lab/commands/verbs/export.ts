import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { writeArchive, type ArchiveEntry } from '../../drivers/files/archive.ts';
import { pathExists } from '../../drivers/files/files.ts';
import { findBytesInside, findJsonInside, listInside } from '../../drivers/files/inside.ts';
import { cellFolder } from '../../model/host/cell-address.ts';
import { effectiveSchema } from '../../model/saved/effective.ts';
import { HostError, UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { ExportResult } from '../../model/saved/answers.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import { originSchema } from '../../model/saved/origin.ts';
import type { Redacted } from '../../model/saved/redacted.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import { runPaths } from '../../model/host/paths.ts';
import { plural } from '../../model/text/plural.ts';
import { type Replay } from '../../model/saved/replay.ts';
import { outcomeSchema } from '../../model/declared/outcome.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { RunVerb } from '../context/context.ts';
import { findSavedFolder } from '../saved/find-cells.ts';
import { findPlan } from '../saved/find-plan.ts';
import { getRun, readNamedRun } from '../saved/find-run.ts';
import { findMissingIn } from '../saved/missing-evidence.ts';
import { redactFile } from '../saved/redact-file.ts';
import { refuseRunFlag } from '../saved/refuse-run-flag.ts';
import { requireSaved } from '../saved/saved-file.ts';
import { spellPath } from '../context/spell-path.ts';

/** The largest file that is exported. Only one file is in memory at a time. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
/** The most levels of folders in a run: cells, variant, scenario, run of a repeated cell, node, and some to spare. */
const MAX_LEVELS = 12;
/** The most names in an error about links and devices in a run. */
const MAX_NAMED = 5;

/**
 * `whodunit export <run or address>`: packs everything that a run saved, without known kinds of secrets, and a
 * `replay.yaml` into one archive.
 */
export const runExport: RunVerb = async (context, words, flags) => {
  const [word = ''] = words;
  const isAddress = word.includes('/') && !pathExists(resolve(word));
  if (!isAddress) refuseRunFlag(word, flags);
  const { paths, result: saved } = isAddress
    ? getRun(context, flags.run, word)
    : readNamedRun(findSavedFolder(context, word));
  const cells = saved.cells.filter(({ address }) => !isAddress || address === word);
  const name = isAddress ? `${saved.run}-${cellFolder(word).replaceAll('/', '-')}` : saved.run;
  const out = resolve(flags.out ?? `${name}.tar.gz`);
  if (pathExists(out))
    throw new UsageError(`${spellPath(out)} already exists`, {
      tryNext: `npx whodunit export ${shellWord(word)} --out ${shellWord(freeName(name))}`,
    });
  const files = listSaved(paths.dir).filter(
    (path) => !isAddress || cells.some(({ evidence }) => path.startsWith(`${evidence}/`)),
  );
  const replay = makeReplay(paths.dir, saved, cells);
  const contents: Contents = { formatVersion: FORMAT_VERSION, sha256: {}, redacted: [] };
  await writeArchive(out, entriesOf(name, paths.dir, files, replay, contents));
  const result: ExportResult = {
    formatVersion: FORMAT_VERSION,
    run: saved.run,
    file: spellPath(out),
    cells: cells.length,
    contents: contents.sha256,
    redacted: contents.redacted,
  };
  const missing = findMissingIn(paths.dir, cells);
  const lines = [
    ...missing.map(({ address, evidence }) => `missing: ${address}: its evidence is not there (${evidence})`),
    `${spellPath(out)}: ${plural(cells.length, 'cell')}, ${plural(files.length, 'file')}`,
    ...describeRedacted(contents.redacted),
    `again: unpack it, then npx whodunit repro ${shellWord(`${name}/replay.yaml`)}`,
  ];
  return {
    status: missing.length > 0 ? 'inconclusive' : 'passed',
    json: result,
    text: () => lines.join('\n'),
  };
};

/** Returns the name of an archive that does not exist yet in the working directory. */
function freeName(name: string): string {
  for (let count = 2; ; count += 1) {
    const file = `${name}-${count}.tar.gz`;
    if (!pathExists(resolve(file))) return file;
  }
}

/** The content of `contents.json`, which is filled while the archive is written. */
interface Contents {
  readonly formatVersion: typeof FORMAT_VERSION;
  readonly sha256: Record<string, string>;
  readonly redacted: Redacted;
}

/** Describes the redaction, and claims no more than was done. */
function describeRedacted(redacted: Redacted): string[] {
  const total = redacted.reduce((sum, { count }) => sum + count, 0);
  const rules = new Set(redacted.map(({ rule }) => rule)).size;
  const files = new Set(redacted.map(({ file }) => file)).size;
  const done =
    total === 0
      ? 'replaced nothing: no rule found a secret'
      : `replaced ${plural(total, 'value')} in ${plural(files, 'file')} by ${plural(rules, 'rule')} (listed in contents.json)`;
  return [done, 'other secrets may be left: look through it before you send it'];
}

/**
 * Lists the files of a run, sorted.
 *
 * @throws HostError LAB_STATE_FILE when there are links, pipes or devices: a link would put a file of this host into
 *   the archive.
 */
function listSaved(dir: string): string[] {
  const { files, others } = listInside(dir, '.', MAX_LEVELS);
  if (others.length > 0)
    throw new HostError(
      'LAB_STATE_FILE',
      `${spellPath(dir)} contains links, pipes, sockets or devices, so it was not exported`,
      {
        lastSeen: others.slice(0, MAX_NAMED).join(', '),
        tryNext: 'a run contains only files and folders: remove the others, or ask who sent it',
      },
    );
  return files.map(({ path }) => path).sort();
}

/** Yields every file without its secrets, then `replay.yaml` and `contents.json`. */
function* entriesOf(
  folder: string,
  dir: string,
  files: readonly string[],
  replay: Replay,
  contents: Contents,
): Generator<ArchiveEntry> {
  const entry = (path: string, bytes: Buffer): ArchiveEntry => {
    const content = redactOne(path, bytes, contents.redacted);
    contents.sha256[path] = createHash('sha256').update(content).digest('hex');
    return { name: `${folder}/${path}`, content };
  };
  for (const path of files) yield entry(path, readSaved(dir, path));
  yield entry('replay.yaml', Buffer.from(stringify(replay)));
  const text = `${JSON.stringify(contents, null, 2)}\n`;
  yield { name: `${folder}/contents.json`, content: Buffer.from(text) };
}

/** @throws HostError LAB_STATE_FILE when the file has disappeared, or is too large. */
function readSaved(dir: string, path: string): Buffer {
  const bytes = findBytesInside(dir, path, MAX_FILE_BYTES);
  if (bytes === undefined) throw new HostError('LAB_STATE_FILE', `${path} disappeared during the export`);
  return bytes;
}

/** @param redacted receives the rules that replaced something in the file. */
function redactOne(file: string, bytes: Buffer, redacted: Redacted): Buffer {
  const counts = new Map<string, number>();
  try {
    const content = redactFile(file, bytes, (rule) => counts.set(rule, (counts.get(rule) ?? 0) + 1));
    redacted.push(...[...counts].map(([rule, count]) => ({ file, rule, count })));
    return content;
  } catch (error) {
    throw new HostError('LAB_STATE_FILE', `${file} cannot be read, so it may contain secrets`, {
      lastSeen: (error as Error).message,
      tryNext: 'move the file away and export the run again',
      cause: error,
    });
  }
}

/** Makes the replay of a run: what each cell was made of, with every value resolved. */
function makeReplay(dir: string, result: RunResult, cells: readonly CellResult[]): Replay {
  const asked = cells.length === result.cells.length ? findPlan(runPaths(dir))?.asked : undefined;
  const order = asked?.addresses ?? [];
  const place = ({ address }: CellResult): number =>
    order.includes(address) ? order.indexOf(address) : Infinity;
  // A cell in whose world no pod starts was run; a cell that a rule refuses was not.
  const run = cells.filter(
    ({ verdict, startFailure }) => verdict !== 'skipped' || startFailure !== undefined,
  );
  if (run.length === 0)
    throw new UsageError('none of its cells was run, so there is nothing to repeat', {
      tryNext: 'npx whodunit runs shows which have a verdict',
    });
  return {
    formatVersion: FORMAT_VERSION,
    run: result.run,
    startedAt: result.startedAt,
    accelerator: result.accelerator,
    asked,
    cells: run.toSorted((a, b) => place(a) - place(b) || 0).map((cell) => describeCell(dir, cell)),
  };
}

function describeCell(dir: string, cell: CellResult): Replay['cells'][number] {
  const paths = runPaths(dir);
  const origin = originSchema.safeParse(findJsonInside(dir, paths.cell(cell.address).origin));
  const effective = effectiveSchema.safeParse(findJsonInside(dir, paths.inRun(cell.evidence).effective));
  return {
    address: cell.address,
    variant: { ...cell.variant },
    scenario: cell.scenario,
    ...parametersField(cell.parameters ?? {}),
    repeat: cell.attempts?.length ?? 1,
    expected: requireSaved(
      { path: paths.result, is: 'a result', move: 'its folder' },
      outcomeSchema,
      cell.expected,
    ),
    ...(cell.startFailure?.expected === true ? { startFailure: cell.startFailure.id } : {}),
    versions: effective.success ? effective.data.versions : {},
    ...(origin.success ? { origin: origin.data } : {}),
  };
}
