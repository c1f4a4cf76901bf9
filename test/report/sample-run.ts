import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createContext } from '../../lab/commands/context/context.ts';
import { getRun } from '../../lab/commands/saved/find-run.ts';
import { judgeFolder } from '../../lab/world/cell/judge-folder.ts';
import { writeReport } from '../../lab/commands/output/write-report.ts';
import { FORMAT_VERSION } from '../../lab/model/files/format-version.ts';
import type { CellResult, RunResult } from '../../lab/model/saved/formats.ts';
import { VERDICTS } from '../../lab/model/killers/killers.ts';
import type { CellRecord } from '../../lab/model/evidence/observation.ts';
import { parametersField } from '../../lab/model/declared/parameters.ts';
import { runPaths, statePaths } from '../../lab/model/host/paths.ts';
import type { Outcome } from '../../lab/model/declared/scenario.ts';
import { CAPTURES_FOLDER, loadCapture, realCaptureNames } from '../fixtures/evidence/load-capture.ts';

/**
 * A run of real captures, saved in a state folder as `lab run` leaves one. Nothing fails in the captures, so some cells are
 * told to expect something else, and one has lost a source.
 */

/** Ids of the run, and of an earlier run of some of its cells. */
export const SAMPLE_RUN = '20260402-0900-cafe';
export const EARLIER_RUN = '20260401-0900-cafe';

/** A cell of which a source is lost, so that nobody can say how it ended. */
export const LOST = 'default/exit-one';
const LOST_FILES = ['node-1/witness.jsonl', 'node-1/containerd.jsonl', 'pods.jsonl'];

/** Cells that are told to expect what did not happen. */
const WRONG: Readonly<Record<string, Partial<Outcome>>> = {
  'default/sigkill-from-node': { killer: 'memcg-oom', level: ['pod'], reason: ['OOMKilled'] },
  'v1/oom-single-container': { reason: ['Error'], exitCode: [1] },
};

const SKIPPED: Pick<CellResult, 'address' | 'note'> = {
  address: 'trixie_v1/oom-single-container',
  note: 'v1-needs-memcg-v1: the kernel of trixie has no memory controller for cgroup v1 (https://packages.debian.org/trixie/linux-image-amd64)',
};

/**
 * Saves the sample run below a state folder, and writes its report.
 *
 * @returns the run, and the path of the report.
 */
export function writeSampleReport(
  stateDir: string,
  names: readonly string[],
): { result: RunResult; file: string } {
  const result = saveSampleRun(stateDir, names);
  const context = { ...createContext(new AbortController().signal), stateDir };
  const run = getRun(context, SAMPLE_RUN);
  writeReport(context, run);
  return { result, file: run.paths.html };
}

/**
 * Saves both runs below a state folder, and returns the later one.
 *
 * @param names of the captures; default: all that a machine made, each address once.
 */
export function saveSampleRun(stateDir: string, names: readonly string[] = realCaptureNames()): RunResult {
  const paths = statePaths(stateDir).run(SAMPLE_RUN);
  const cells = new Map<string, CellResult>();
  for (const name of names) {
    const { record } = loadCapture(name);
    if (cells.has(record.address)) continue;
    const folder = paths.cell(record.address).dir;
    mkdirSync(dirname(folder), { recursive: true });
    cpSync(join(CAPTURES_FOLDER, name), folder, { recursive: true });
    cells.set(
      record.address,
      judgeSaved(folder, paths.cellRelative(record.address), changeRecord(folder, record)),
    );
  }
  const [first] = cells.values();
  const skipped = first === undefined ? [] : [skippedLike(first)];
  const result = saveRun(stateDir, SAMPLE_RUN, '2026-04-02T09:00:00.000Z', [...cells.values(), ...skipped]);
  const before = result.cells
    .filter(({ address }) => address in WRONG)
    .map((cell): CellResult => ({ ...cell, verdict: 'passed', mismatches: [] }));
  saveRun(stateDir, EARLIER_RUN, '2026-04-01T09:00:00.000Z', before);
  return result;
}

/**
 * Saves every real capture as it is, as if one run had made the latest of each address, and an earlier run those that were
 * made before: what failed here failed on a machine, and what changed did change.
 */
export function saveCaptureRuns(stateDir: string): void {
  const sorted = realCaptureNames()
    .map((name) => ({ name, record: loadCapture(name).record }))
    .toSorted((a, b) => b.record.startedAt.localeCompare(a.record.startedAt));
  const runs = [SAMPLE_RUN, EARLIER_RUN].map((run) => ({ run, cells: new Map<string, CellResult>() }));
  for (const { name, record } of sorted) {
    const free = runs.find(({ cells }) => !cells.has(record.address));
    if (free === undefined) continue;
    const paths = statePaths(stateDir).run(free.run);
    const folder = paths.cell(record.address).dir;
    mkdirSync(dirname(folder), { recursive: true });
    cpSync(join(CAPTURES_FOLDER, name), folder, { recursive: true });
    free.cells.set(record.address, judgeSaved(folder, paths.cellRelative(record.address), record));
  }
  const days = ['2026-04-02', '2026-04-01'];
  for (const [index, { run, cells }] of runs.entries())
    saveRun(stateDir, run, `${days[index] ?? ''}T09:00:00.000Z`, [...cells.values()]);
}

/** Rewrites what the cell expected, or takes its sources away. */
function changeRecord(folder: string, record: CellRecord): CellRecord {
  const wrong = WRONG[record.address];
  const changed = wrong === undefined ? record : { ...record, expected: { ...record.expected, ...wrong } };
  writeFileSync(join(folder, 'cell.json'), `${JSON.stringify(changed, null, 2)}\n`);
  if (record.address === LOST)
    for (const file of LOST_FILES) if (existsSync(join(folder, file))) rmSync(join(folder, file));
  return changed;
}

function judgeSaved(folder: string, evidence: string, record: CellRecord): CellResult {
  const { now } = judgeFolder(folder, record);
  const { address, scenario } = record;
  const totalMs = Date.parse(record.endedAt) - Date.parse(record.startedAt);
  return {
    address,
    scenario,
    variant: { ...record.variant },
    evidence,
    ...parametersField(record.parameters ?? {}),
    expected: { ...record.expected },
    timings: { restoreMs: 0, deployMs: 0, verdictMs: totalMs, totalMs },
    ...now,
  };
}

function skippedLike({ variant, timings }: CellResult): CellResult {
  return {
    ...SKIPPED,
    scenario: 'oom-single-container',
    variant: { ...variant, os: 'trixie', cgroup: 'v1' },
    verdict: 'skipped',
    expected: {},
    claims: [],
    mismatches: [],
    evidence: '',
    timings,
    attribution: { killer: 'unknown', victim: '', confidence: 'none', because: [] },
  };
}

/** Saves a result as a run of its own. */
function saveRun(stateDir: string, run: string, startedAt: string, cells: CellResult[]): RunResult {
  const totals = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, cells.filter((cell) => cell.verdict === verdict).length]),
  ) as RunResult['totals'];
  const host = { system: 'Debian GNU/Linux 12', cpus: 2, node: 'v20.19.0' };
  const result: RunResult = {
    formatVersion: FORMAT_VERSION,
    run,
    startedAt,
    host,
    accelerator: 'tcg',
    totals,
    cells,
  };
  const { result: path } = runPaths(statePaths(stateDir).run(run).dir);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
  return result;
}
