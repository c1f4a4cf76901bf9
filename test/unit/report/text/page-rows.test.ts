import { describe, expect, it } from 'vitest';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { explainCell } from '../../../../lab/report/terminal/explain-cell.ts';
import { fitPage } from '../../../../lab/report/text/page-rows.ts';
import { renderSummary } from '../../../../lab/report/terminal/render-summary.ts';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { createRunOf } from '../made-run.ts';

const CAPTURES = ['oom-single-container', 'sigkill-from-node', 'supercronic-zombies', 'node-reboot'];

/** The result of a capture, as a run saves it. */
function resultOf(name: string): CellResult {
  const capture = loadCapture(name);
  const { record } = capture;
  return {
    address: record.address,
    scenario: record.scenario,
    variant: { ...record.variant },
    expected: { ...record.expected },
    evidence: `cells/${record.address}`,
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 9000 },
    ...judgeCapture(capture),
  };
}

const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const isCopied = (line: string): boolean => /^(open|evidence) /.test(line);
const isRecord = (line: string): boolean => / {2}\d\d:\d\d:\d\d\.\d{3} {2}/.test(line);

describe.each([80, 200])('a page in a terminal of %i columns', (width) => {
  it.each(CAPTURES)('is no wider, loses no word of its prose, and cuts records with a mark: %s', (name) => {
    const page = explainCell(resultOf(name), `test/fixtures/evidence/${name}`);
    const lines = fitPage(page, width).split('\n');
    expect(lines.filter((line) => line.length > width && !isCopied(line))).toEqual([]);
    const whole = page.split('\n');
    const prose = (all: readonly string[]): string => words(all.filter((line) => !isRecord(line)).join('\n'));
    expect(prose(lines)).toBe(prose(whole));
    const [records, cut] = [whole.filter(isRecord), lines.filter(isRecord)];
    expect(cut).toEqual(
      records.map((line) => (line.length <= width ? line : `${line.slice(0, width - 1)}…`)),
    );
  });

  it('keeps the place behind a record of the summary', () => {
    const failed: CellResult = {
      ...resultOf('oom-single-container'),
      verdict: 'failed',
      mismatches: [{ field: 'reason', expected: 'Error', observed: 'OOMKilled' }],
    };
    const summary = renderSummary(createRunOf([failed]));
    const lines = fitPage(summary, width).split('\n');
    expect(lines.filter((line) => line.length > width)).toEqual([]);
    for (const [place] of summary.matchAll(/ {3}cells\/\S+:\d+$/gm))
      expect(lines.join('\n')).toContain(place);
  });
});

describe('a long line of a page', () => {
  it.each([
    ['note      one two three four five six', 31, ['note      one two three four', '          five six']],
    [
      '  right  api      one two three four five',
      38,
      ['  right  api      one two three four', '                  five'],
    ],
    ['    expected  one two three four five', 34, ['    expected  one two three four', '              five']],
    [
      '- skipped       default/a  some rule: it is so',
      40,
      ['- skipped       default/a some rule: it', '                is so'],
    ],
    [
      'open      less +58 test/fixtures/evidence/a/kmsg.log',
      30,
      ['open      less +58 test/fixtures/evidence/a/kmsg.log'],
    ],
  ])('%j', (line, width, lines) => {
    expect(fitPage(line, width).split('\n')).toEqual(lines);
  });
});
