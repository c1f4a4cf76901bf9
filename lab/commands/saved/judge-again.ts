import { pathExists } from '../../drivers/files/files.ts';
import { findFolderInside } from '../../drivers/files/inside.ts';
import { combineAttempts } from '../../judge/verdict/attempts.ts';
import { joinDisagreeing } from '../../judge/verdict/join-results.ts';
import { compareJudgements } from '../../judge/compare/compare-judgements.ts';
import type { Judgement } from '../../judge/verdict/judge-cell.ts';
import type { Again } from '../../model/saved/again.ts';
import { ConfigError, HostError } from '../../model/errors/errors.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { explainCell } from '../../report/terminal/explain-cell.ts';
import { isUnobserved } from '../../report/words/explain-unjudged.ts';
import { judgeFolder } from '../../world/cell/judge-folder.ts';
import { getCellRecord } from './read-cell-record.ts';

/** Judges the folder of a cell. The report passes its own function, because it has already read the evidence. */
type JudgeFolder = (folder: string) => { readonly record: CellRecord; readonly now: Judgement };

/**
 * Judges the evidence of a saved cell again, and compares. Returns undefined when the saved result says that the cell
 * was not observed.
 *
 * @param runDir the folder of the run, in which the evidence must be.
 */
export function judgeAgain(
  runDir: string,
  cell: CellResult,
  judge: JudgeFolder = (folder) => judgeFolder(folder, getCellRecord(folder)),
): Again | undefined {
  if (cell.verdict === 'skipped' || isUnobserved(cell)) return undefined;
  try {
    const now = cell.attempts === undefined ? judgeOne(runDir, cell, judge) : judgeAll(runDir, cell, judge);
    if (now === undefined) return { state: 'unjudged', why: 'no evidence of it was saved' };
    const changes = compare(cell, now);
    return changes.length === 0 ? { state: 'same' } : { state: 'differs', changes };
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof HostError)) throw error;
    return { state: 'unjudged', why: error.message.split('\n').slice(0, 2).join(' ') };
  }
}

/** Judges the evidence in one folder of a run; undefined when there is none. */
function judgeOne(runDir: string, cell: CellResult, judge: JudgeFolder): CellResult | undefined {
  const folder = cell.evidence === '' ? undefined : findFolderInside(runDir, cell.evidence);
  if (folder === undefined || !pathExists(cellPaths(folder).record)) return undefined;
  const { record, now } = judge(folder);
  return {
    address: record.address,
    variant: { ...record.variant },
    scenario: record.scenario,
    ...parametersField(record.parameters ?? {}),
    expected: { ...record.expected },
    timings: cell.timings,
    evidence: cell.evidence,
    ...now,
  };
}

/** Judges each run of a repeated cell, and combines them as when the cell ran. A run without evidence has no verdict. */
function judgeAll(runDir: string, cell: CellResult, judge: JudgeFolder): CellResult | undefined {
  const { attempts = [], rate, address, variant, scenario, parameters, expected, timings } = cell;
  if (attempts.length === 0) return undefined;
  const head = { address, variant, scenario, expected, timings, ...parametersField(parameters ?? {}) };
  const results = attempts.map(
    ({ verdict, evidence, note }): CellResult =>
      judgeOne(runDir, { ...cell, evidence }, judge) ?? {
        ...head,
        verdict: verdict === 'interrupted' ? 'interrupted' : 'inconclusive',
        attribution: { killer: 'unknown', victim: cell.attribution.victim, confidence: 'none', because: [] },
        claims: [],
        mismatches: [],
        evidence,
        ...(note === undefined ? {} : { note }),
      },
  );
  // In a merged run, attempts without a rate are the results of hosts that disagree.
  return rate === undefined && cell.ranOn !== undefined
    ? joinDisagreeing(results)
    : combineAttempts(results, rate?.tolerate ?? 0);
}

/**
 * Removes from a new judgement the fields that did not exist yet when the saved result was written: excluded and open
 * killers.
 */
function withoutNewerFields(now: CellResult, saved: CellResult): CellResult {
  const { excluded, open } = saved.attribution;
  if (excluded !== undefined || open !== undefined) return now;
  return { ...now, attribution: { ...now.attribution, excluded: undefined, open: undefined } };
}

/** Lists the changes; if no field of the judgement changed, the first line of the page that did. */
function compare(saved: CellResult, now: CellResult): NonNullable<Again['changes']> {
  const changes = [
    ...(saved.address === now.address ? [] : [{ field: 'address', before: saved.address, now: now.address }]),
    ...compareJudgements(saved, now),
  ];
  if (changes.length > 0) return changes;
  const pages = [saved, withoutNewerFields(now, saved)].map((cell) => explainCell(cell).split('\n'));
  const [before = [], after = []] = pages;
  const at = before.findIndex((line, index) => line !== after[index]);
  if (at < 0 && before.length === after.length) return [];
  const line = at < 0 ? before.length : at;
  return [{ field: 'page', before: before[line] ?? 'nothing', now: after[line] ?? 'nothing' }];
}
