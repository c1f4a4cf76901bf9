import type { CellDiff, Difference, RunDiff } from '../../model/saved/diff.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { CellResult, ChainStep, RunResult } from '../../model/saved/formats.ts';
import { compareRecords } from './compare-records.ts';
import { compareJudgements, isFlip } from './compare-judgements.ts';
import { smallest } from '../../model/text/extremes.ts';

/** A cell with what was saved next to it. */
export interface ComparedCell {
  readonly run: string;
  readonly cell: CellResult;
  /** The content of `effective.json` and `origin.json`; undefined where there is none. */
  readonly effective?: unknown;
  readonly origin?: unknown;
}

/** Compares two cells: of two runs, of two variants, or of both. */
export function compareCells(before: ComparedCell, now: ComparedCell): CellDiff {
  const part = (name: CellDiff['changes'][number]['part'], changes: readonly Difference[]) =>
    changes.map((change) => ({ part: name, ...change }));
  return {
    formatVersion: FORMAT_VERSION,
    kind: 'cells',
    before: sideOf(before),
    now: sideOf(now),
    changes: [
      ...part('variant', compareRecords(before.cell.variant, now.cell.variant)),
      ...part('parameters', compareRecords(before.cell.parameters ?? {}, now.cell.parameters ?? {})),
      ...part('expected', compareRecords(before.cell.expected, now.cell.expected)),
      ...part('judgement', compareTwoDeaths(before.cell, now.cell)),
      // What was not saved differs in nothing.
      ...part('origin', compareSaved(before.origin, now.origin)),
      ...part('effective', compareSaved(before.effective, now.effective).filter(isSetting)),
    ],
    timeline: alignChains(before.cell.attribution.chain ?? [], now.cell.attribution.chain ?? []),
  };
}

/** Compares the cells that two runs have, and names those that only one has. */
export function compareRuns(before: RunResult, now: RunResult): RunDiff {
  const was = new Map(before.cells.map((cell) => [cell.address, cell]));
  const is = new Map(now.cells.map((cell) => [cell.address, cell]));
  const both = [...is].flatMap(([address, cell]) => {
    const old = was.get(address);
    return old === undefined ? [] : [{ address, changes: compareTwoDeaths(old, cell) }];
  });
  const pick = (wanted: (cell: (typeof both)[number]) => boolean): RunDiff['flips'] =>
    both.filter(wanted).map(({ address, changes }) => ({ address, changes }));
  return {
    formatVersion: FORMAT_VERSION,
    kind: 'runs',
    before: { run: before.run, startedAt: before.startedAt },
    now: { run: now.run, startedAt: now.startedAt },
    host: compareRecords(
      { ...before.host, accelerator: before.accelerator },
      { ...now.host, accelerator: now.accelerator },
    ),
    flips: pick(({ changes }) => changes.some(isFlip)),
    changed: pick(({ changes }) => changes.length > 0 && !changes.some(isFlip)),
    new: [...is.keys()].filter((address) => !was.has(address)),
    gone: [...was.keys()].filter((address) => !is.has(address)),
    same: both.filter(({ changes }) => changes.length === 0).length,
  };
}

function sideOf({ run, cell }: ComparedCell): CellDiff['before'] {
  const { address, verdict, attribution, timings, evidence } = cell;
  return { run, address, verdict, killer: attribution.killer, totalMs: timings.totalMs, evidence };
}

/** Two deaths have other pids, ids and lines of files; what is said of them may be the same. */
function compareTwoDeaths(before: CellResult, now: CellResult): Difference[] {
  return compareJudgements(before, now).filter(
    ({ field, before: was, now: is }) => field !== 'proof' && withoutIds(was) !== withoutIds(is),
  );
}

function compareSaved(before: unknown, now: unknown): Difference[] {
  return before === undefined || now === undefined ? [] : compareRecords(before, now);
}

/** The cgroup of a process has the id of its pod; where it is (`placement`) has not. */
function isSetting({ field }: Difference): boolean {
  return !/\.cgroups\..*\.path$/.test(field);
}

/** A text without what is new in every death: pids, ids of pods and containers, counts of microseconds. */
function withoutIds(text: string): string {
  return text
    .replaceAll(/\b(pid|uid|task|tid)([ =:])\d+/g, '$1$2…')
    .replaceAll(/[0-9a-f]{8}(?:[-_]?[0-9a-f]{4}){3}[-_]?[0-9a-f]{12}/g, '…')
    .replaceAll(/[0-9a-f]{12,}/g, '…');
}

/** The text without sizes and times too: a record that differs only in these is the same step. */
function kindOf(text: string): string {
  return withoutIds(text).replaceAll(/\d+(\.\d+)?/g, '#');
}

/**
 * Puts records of the same kind next to each other; the others have nothing next to them. Each side is in the order of
 * its times.
 */
function alignChains(before: readonly ChainStep[], now: readonly ChainStep[]): CellDiff['timeline'] {
  const [was, is] = [momentsOf(before), momentsOf(now)];
  const aligned: CellDiff['timeline'] = [];
  let next = 0;
  for (const { step, kind, moment } of was) {
    const match = is.findIndex((other, index) => index >= next && other.step === step && other.kind === kind);
    if (match < 0) {
      aligned.push({ step, before: moment });
      continue;
    }
    for (const alone of is.slice(next, match)) aligned.push({ step: alone.step, now: alone.moment });
    aligned.push({ step, before: moment, now: is[match]!.moment });
    next = match + 1;
  }
  return [...aligned, ...is.slice(next).map((alone) => ({ step: alone.step, now: alone.moment }))];
}

type Moment = NonNullable<CellDiff['timeline'][number]['before']>;

/** The records of an end in the order of time; one without a time follows the one before it. */
function momentsOf(
  chain: readonly ChainStep[],
): { readonly step: ChainStep['step']; readonly kind: string; readonly moment: Moment }[] {
  const times = chain.map(({ at }) => Date.parse(at));
  const start = smallest(times.filter(Number.isFinite));
  let last = -Infinity;
  return chain
    .map(({ step, ...ref }, index) => {
      const time = times[index] ?? NaN;
      if (Number.isFinite(time)) last = time;
      const moment = Number.isFinite(time) ? { ...ref, afterMs: time - start } : ref;
      return { step, kind: `${ref.source} ${kindOf(ref.text)}`, moment, at: last };
    })
    .toSorted((a, b) => a.at - b.at);
}
