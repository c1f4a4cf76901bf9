import { z } from 'zod';
import { valueOf } from '../../lab/model/axes/axes.ts';
import { formatDuration } from '../../lab/model/text/format-duration.ts';
import type { CellResult, Rate } from '../../lab/model/saved/formats.ts';
import { parseJson } from '../../lab/model/files/parse-json.ts';
import {
  pickLatestCells,
  worldOf,
  type RecordedCell,
  type RecordedRun,
} from '../../lab/report/words/recorded-run.ts';
import { programOfWorkloads } from '../../lab/report/words/runc-words.ts';
import { compareText } from '../../lab/model/text/compare-text.ts';
import { isUnstarted } from '../../lab/report/words/cell-words.ts';
import { stagingOf, stagingSchema } from './staging.ts';

/** A line of docs/measured/results.jsonl: what the latest recorded run of a cell found. It outlives the folder of its run. */
const resultRowSchema = z.strictObject({
  address: z.string(),
  /** Day of the run, `2026-11-21`. */
  date: z.string(),
  /** Absent where only the day is known. */
  run: z.string().optional(),
  verdict: z.string(),
  /** As `whodunit why` says it; of a skipped cell, why. */
  killer: z.string(),
  how: z.string().optional(),
  /** How many runs of a repeated cell ended as expected, and the share that ends otherwise in the long run. */
  rate: z.string().optional(),
  /** As the nodes print them: `kernel`, `systemd`, `kubelet`, `containerd`, and the runtime by its name. */
  versions: z.record(z.string(), z.string()),
  /** Until the world was ready, and how it came to be: `2m 49s, built`. */
  world: z.string().optional(),
  /** How long the cell took; absent for a skipped one. */
  cell: z.string().optional(),
  /** A declared mismatch that the kubelet made good by itself. */
  healed: z.string().optional(),
  /** Absent for a skipped cell. */
  staged: stagingSchema.optional(),
});

export type ResultRow = z.infer<typeof resultRowSchema>;

/** @throws ZodError or SyntaxError for a line that is not a row. */
export function parseResultRows(lines: readonly string[]): ResultRow[] {
  return lines.map((line) => resultRowSchema.parse(parseJson(line)));
}

/**
 * Each cell once, from its latest row, ordered by variant (`default` first), then scenario. An inconclusive row counts
 * only where no other one is: nobody observed the cell then.
 */
export function joinResultRows(rows: readonly ResultRow[]): ResultRow[] {
  const latest = new Map<string, ResultRow>();
  for (const row of rows.toSorted((a, b) => compareText(ageOf(a), ageOf(b)))) latest.set(row.address, row);
  return [...latest.values()].sort((a, b) => compareText(placeOf(a), placeOf(b)));
}

/** Ids of runs begin with day and time. */
function ageOf({ verdict, date, run = '' }: ResultRow): string {
  return `${Number(verdict !== 'inconclusive')} ${date} ${run}`;
}

function placeOf(row: ResultRow): string {
  return `${worldOf(row).replace(/^default$/, '')} ${row.address}`;
}

/** What runs found of each cell, from the latest run that found out something: not from one whose rules kept the cell out. */
export function pickFound(runs: readonly RecordedRun[]): RecordedCell[] {
  return pickLatestCells(
    runs.map((run) => ({ ...run, result: { ...run.result, cells: run.result.cells.filter(isFound) } })),
  );
}

function isFound({ verdict, note = '' }: CellResult): boolean {
  return verdict !== 'skipped' || SEEN.test(note);
}

/** The line of the log that showed a declared start failure; the run has it. */
const SEEN = /; seen: .*$/s;

/** What a run found of a cell. */
export function toResultRow({ cell, run }: RecordedCell): ResultRow {
  const { address, verdict, attribution, note, rate, timings, variant } = cell;
  const { versions = {}, healed } = run.effective.get(address) ?? {};
  const { level, how, confidence } = attribution;
  const isSkipped = verdict === 'skipped';
  const killer = isUnstarted(cell) ? 'none' : attribution.killer;
  const more = [
    ...(isUnstarted(cell) ? ['never started'] : []),
    ...(level === undefined ? [] : [`${level} level`]),
    ...(how === undefined ? [] : [how]),
    ...(confidence === 'likely' ? ['likely'] : []),
  ].join(', ');
  const runtime = valueOf(variant, 'runtime');
  const program = programOfWorkloads(runtime, versions);
  const names = ['kernel', 'systemd', 'kubelet', 'containerd', runtime.name];
  const world = describeWorldTime(run, worldOf(cell));
  const staged = stagingOf(cell);
  return {
    address,
    date: run.result.startedAt.slice(0, 10),
    run: run.result.run,
    verdict,
    // The rule and its reason.
    killer: isSkipped ? (note ?? '-').replace(SEEN, ' (seen in this run)') : killer,
    ...(isSkipped || more === '' ? {} : { how: more }),
    ...(rate === undefined ? {} : { rate: describeRate(rate) }),
    versions: Object.fromEntries(
      names.flatMap((name) => {
        const version = versions[name === runtime.name ? program : name];
        return version === undefined ? [] : [[name, version]];
      }),
    ),
    ...(world === undefined ? {} : { world }),
    ...(isSkipped ? {} : { cell: formatDuration(timings.totalMs) }),
    ...(healed === undefined ? {} : { healed }),
    ...(staged === undefined ? {} : { staged }),
  };
}

/** `19 of 20 runs as expected, 0.9 to 23.6 % otherwise (Wilson, 95 %)` */
function describeRate({ passed, of, failing: { low, high } }: Rate): string {
  const [least, most] = [low, high].map((share) => Math.round(share * 1000) / 10);
  return `${passed} of ${of} runs as expected, ${least} to ${most} % otherwise (Wilson, 95 %)`;
}

/** From the start of a world in its run to the moment it was ready, and whether it was built or restored. */
function describeWorldTime({ events }: RecordedRun, world: string): string | undefined {
  const own = events.filter((event) => event.world === world);
  const started = own.find(({ event }) => event === 'world-started');
  const ready = own.find(({ event }) => event === 'world-ready');
  if (started === undefined || ready === undefined) return undefined;
  const time = formatDuration(Date.parse(ready.at) - Date.parse(started.at));
  return ready.detail === undefined ? time : `${time}, ${ready.detail}`;
}
