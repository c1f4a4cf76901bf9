import type { CellResult, Rate } from '../../model/saved/formats.ts';
import type { Verdict } from '../../model/killers/killers.ts';
import { wilsonInterval } from '../../model/rates/rates.ts';

/**
 * Makes one result of the runs of a repeated cell. The share of failed runs decides, compared with the tolerated share.
 * Runs without a verdict may be either: they leave the cell open when they could change the answer.
 *
 * The result shows attribution, claims and evidence of one run: the first failed one of a failed cell, the first
 * without a verdict of a cell that has none, else the first.
 *
 * @param results in the order of the runs, at least one.
 */
export function combineAttempts(results: readonly CellResult[], tolerate: number): CellResult {
  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
  const failed = count('failed');
  const passed = count('passed');
  const verdict = decide(results.length, failed, passed, count('interrupted'), tolerate);
  const shown = results.find((result) => result.verdict === verdict) ?? results[0];
  if (shown === undefined) throw new RangeError('a repeated cell has at least one run');
  const rate: Rate = {
    passed,
    of: passed + failed,
    tolerate,
    failing: { ...wilsonInterval(failed, passed + failed), method: 'wilson-95' },
  };
  const { note: shownNote, ...rest } = shown;
  const note = [describeRate(rate, results.length), shownNote]
    .filter((result) => result !== undefined)
    .join('; ');
  return {
    ...rest,
    verdict,
    mismatches: verdict === 'failed' ? shown.mismatches : [],
    note,
    rate,
    attempts: results.map((result) => ({
      verdict: result.verdict,
      killer: result.attribution.killer,
      evidence: result.evidence,
      ...(result.note === undefined ? {} : { note: result.note }),
    })),
  };
}

function decide(all: number, failed: number, passed: number, interrupted: number, tolerate: number): Verdict {
  const open = all - failed - passed;
  if (failed / all > tolerate) return 'failed';
  if ((failed + open) / all <= tolerate && passed > 0) return 'passed';
  return interrupted > 0 ? 'interrupted' : 'inconclusive';
}

function describeRate({ passed, of, failing }: Rate, all: number): string {
  const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;
  const open = all === of ? '' : `, ${all - of} of ${all} runs have no verdict`;
  return `${passed} of ${of} runs as expected; ${percent(failing.low)} to ${percent(failing.high)} fail (Wilson, 95 %)${open}`;
}
