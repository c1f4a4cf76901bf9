import { describe, expect, it } from 'vitest';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { explainCell } from '../../../../lab/report/terminal/explain-cell.ts';
import { cutText, fitLine } from '../../../../lab/report/text/page-rows.ts';
import { renderSummary } from '../../../../lab/report/terminal/render-summary.ts';
import { captureNames, judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { createRunOf } from '../made-run.ts';

/** Every fifth capture, and those with rows that few have. */
const CAPTURES = [
  ...new Set([
    ...captureNames().filter((_, index) => index % 5 === 0),
    'oom-single-container',
    'supercronic-zombies',
    'node-reboot',
  ]),
];

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

const fitPage = (page: string, width: number): string[] =>
  page.split('\n').flatMap((line) => fitLine(line, width));
const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const isCopied = (line: string): boolean => /^(open|evidence) /.test(line);
const isRecord = (line: string): boolean => / {2}\d\d:\d\d:\d\d(?:\.\d{3})? {2}/.test(line);

/** What says whom a record was about; of other records it is the beginning and the end. */
const TELLING =
  /task=[^,]*,pid=\d+|Killed process \d+ \([^)]*\)|terminated \w+, exit \d+|from pid \d+ \([^)]*\)/;

/** Whether the text lost only what is behind a mark, and neither its place nor what is telling. */
function isCutWell([cut = '', below]: readonly string[], whole: string): boolean {
  const head = /^.*? {2}\d\d:\d\d:\d\d(?:\.\d{3})? {2,}\S+ +/.exec(whole)?.[0] ?? '';
  if (cut === whole) return true;
  if (!`${cut} `.startsWith(head.trimEnd())) return false;
  const [text, shown] = [whole.slice(head.length), below?.trim() ?? cut.slice(head.length)];
  const parts = shown.split('…').map((part) => part.trim());
  const told = TELLING.exec(text)?.[0];
  const hasTold = told === undefined || shown.includes(told.slice(-12));
  return (
    hasTold &&
    parts.every((part) => text.includes(part)) &&
    (told !== undefined || text.endsWith(parts.at(-1) ?? ''))
  );
}

const results = new Map(CAPTURES.map((name) => [name, resultOf(name)]));
const getResult = (name: string): CellResult => results.get(name) ?? resultOf(name);

describe.each([80, 100, 200])('a page in a terminal of %i columns', (width) => {
  it.each(CAPTURES)('is no wider, loses no word of its prose, and keeps what a record tells: %s', (name) => {
    const page = explainCell(getResult(name), `test/fixtures/evidence/${name}`);
    const lines = fitPage(page, width);
    expect(lines.filter((line) => line.length > width && !isCopied(line))).toEqual([]);
    const whole = page.split('\n');
    const prose = whole.filter((line) => !isRecord(line));
    expect(words(fitPage(prose.join('\n'), width).join('\n'))).toBe(words(prose.join('\n')));
    const records = whole.filter(isRecord);
    expect(records.filter((line) => !isCutWell(fitLine(line, width), line))).toEqual([]);
  });

  it('keeps the place behind a record of the summary', () => {
    const failed: CellResult = {
      ...getResult('oom-single-container'),
      verdict: 'failed',
      mismatches: [{ field: 'reason', expected: 'Error', observed: 'OOMKilled' }],
    };
    const summary = renderSummary(createRunOf([failed]));
    const lines = fitPage(summary, width);
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
    expect(fitPage(line, width)).toEqual(lines);
  });
});

const OOM = 'oom-kill:constraint=CONSTRAINT_MEMCG, …, oom_memcg=/a,task=eater,pid=843,uid=0';

it('has the text of a record below its place where there is no room beside it', () => {
  const head = '  signal  node-1/witness.jsonl:132  21:54:49.091  trace  ';
  const text = 'SIGKILL to pid 1741 (sleeper) from pid 1760 (bash) in /system.slice/ssh.service';
  expect(fitLine(`${head}${text}`, 80)).toEqual([
    head.trimEnd(),
    '          SIGKILL to pid 1741 (sleeper) from pid 1760 (bash) in /system.slice/s…',
  ]);
  expect(fitLine(`${head}${text}`, 120)).toHaveLength(1);
});

describe('a long text of a record', () => {
  it.each([
    [OOM, 60, 'oom-kill:constraint=CONSTRAINT_MEMCG, …,…task=eater,pid=843…'],
    [OOM, 24, 'oom-…task=eater,pid=843…'],
    [OOM, 14, '…ater,pid=843…'],
    [
      'Memory cgroup out of memory: Killed process 843 (eater) total-vm:9kB',
      34,
      'Memory…Killed process 843 (eater)…',
    ],
    [
      'eater Running: eater terminated OOMKilled, exit 137, 0 restarts',
      38,
      'eater …terminated OOMKilled, exit 137…',
    ],
    ['SIGTERM to pid 1657 (sleeper) from pid 1678 (bash) in /a', 25, 'SIG…from pid 1678 (bash)…'],
    ['short enough', 12, 'short enough'],
  ])('%j in %i letters', (text, room, shown) => {
    expect(shown.length).toBeLessThanOrEqual(room);
    expect(cutText(text, room)).toBe(shown);
  });
});
