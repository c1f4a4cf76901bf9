import { describe, expect, it } from 'vitest';
import { compareCells } from '../../../../lab/judge/compare/compare-cells.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { CHAIN_STEP_MEANINGS } from '../../../../lab/model/saved/chain-step.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import type { CellDiff } from '../../../../lab/model/saved/diff.ts';
import { namesOf } from '../../../../lab/model/text/names-of.ts';
import { renderProof } from '../../../../lab/report/page/proof-section.ts';
import { planTimeline } from '../../../../lab/report/page/plan-timeline.ts';
import { renderTimeline } from '../../../../lab/report/page/timeline.ts';
import { explainCell } from '../../../../lab/report/terminal/explain-cell.ts';
import { renderCellDiff } from '../../../../lab/report/terminal/render-diff.ts';
import { orderByTime, type ProofRef } from '../../../../lab/report/words/order-of-time.ts';
import { listProof, proofLines, stepsOf } from '../../../../lab/report/words/proof-lines.ts';
import {
  captureNames,
  judgeCapture,
  loadCapture,
  type Capture,
} from '../../../fixtures/evidence/load-capture.ts';
import { allStories } from '../../../fixtures/told/all-stories.ts';

const STEPS: readonly string[] = namesOf(CHAIN_STEP_MEANINGS);

const ref = (step: string | undefined, source: string, at: string, text = ''): ProofRef => ({
  step,
  source,
  text,
  at: at === '' ? '' : `2026-01-02T03:04:${at}Z`,
  file: source,
});

/** Sources with their asides, in the order of printing. */
const told = (refs: readonly ProofRef[]): string[] =>
  orderByTime(refs).map(
    ({ source, text, aside }) => `${text}${source}${aside === undefined ? '' : `: ${aside}`}`,
  );

describe('records', () => {
  it.each<[name: string, refs: ProofRef[], expected: string[]]>([
    [
      'in the order of their steps have nothing to say',
      [ref('cause', 'kmsg', '01.000'), ref('signal', 'trace', '01.000'), ref('end', 'pod', '05.000')],
      ['kmsg', 'trace', 'pod'],
    ],
    [
      'that somebody saw late say how much later',
      [ref('request', 'pod', '16.574'), ref('signal', 'trace', '05.215'), ref('end', 'tasks', '05.512')],
      ['trace', 'tasks', 'pod: seen 11.4 s after the signal'],
    ],
    [
      'that somebody read or logged late say so too',
      [ref('cause', 'system', '01.033'), ref('signal', 'cgroup', '03.100'), ref('end', 'trace', '01.000')],
      ['trace', 'system: logged 33 ms after the end', 'cgroup: read 2.1 s after the end'],
    ],
    [
      'of two clocks of a node say by which clock they are behind',
      [ref('cause', 'kmsg', '01.066'), ref('signal', 'trace', '01.000')],
      ['trace', 'kmsg: 66 ms after the signal by the clock of the kernel log'],
    ],
    [
      'of the lab and of a node are compared as closely as their clocks',
      [ref('signal', 'stimulus', '01.400'), ref('end', 'trace', '01.000')],
      ['trace', "stimulus: 400 ms after the end by the lab's clock"],
    ],
    [
      'of the API have whole seconds',
      [ref('cause', 'kubelet', '33.143'), ref('request', 'event', '33.000')],
      ['event: cut to whole seconds', 'kubelet'],
    ],
    [
      'of the API that have parts of a second are not cut',
      [ref('cause', 'kubelet', '33.143'), ref('request', 'event', '33.100')],
      ['event', 'kubelet: logged 43 ms after the request'],
    ],
    [
      'that nothing explains say that they were early',
      [ref('signal', 'kmsg', '42.564'), ref('end', 'pod', '27.035'), ref('end', 'event', '55.000')],
      ['pod: already seen 15.5 s before the signal', 'kmsg', 'event'],
    ],
    [
      'that were seen are not earlier by another clock',
      [ref('signal', 'trace', '30.001'), ref('end', 'pod', '29.548')],
      ['pod: already seen 453 ms before the signal', 'trace'],
    ],
    [
      'without a step have nothing to say, and without a time stay where they were',
      [
        ref('cause', 'kmsg', '05.000'),
        ref('signal', 'cri', ''),
        ref('end', 'trace', '05.100'),
        ref(undefined, 'pod', '01.000'),
      ],
      ['pod', 'kmsg', 'cri', 'trace'],
    ],
  ])('%s', (_, refs, expected) => {
    expect(told(refs)).toEqual(expected);
  });
});

/** A line of a page: the time of day with its parts of a second, and its text with the words of its place. */
interface Told {
  readonly time: string;
  readonly step: string;
  readonly text: string;
}

const cellOf = (capture: Capture): CellResult => ({
  address: 'default/cell',
  variant: { ...DEFAULT_VARIANT },
  scenario: 'cell',
  evidence: 'cells/cell',
  expected: {},
  timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 3 },
  ...judgeCapture(capture),
});

/** A step, if there is one, a place, a time, a source and a text. */
const LINE = /^(?:(\w+) +)?\S+ +(\d\d:\d\d:\d\d\S*) +\S+ +(.*)$/;

const withParts = (time: string): string => (time.includes('.') ? time : `${time}.000`);

/** The records of some lines; a line without the name of a step is of that of the line before. */
function readLines(lines: readonly string[]): Told[] {
  let last = '';
  return lines.flatMap((line) => {
    const [, step = '', time, text = ''] = LINE.exec(line.trim()) ?? [];
    if (time === undefined) return [];
    last = step === '' ? last : step;
    return [{ time: withParts(time), step: last, text }];
  });
}

const readTerminal = (cell: CellResult): Told[] => {
  const lines = explainCell(cell).split('\n');
  const from = lines.findIndex((line) => line.startsWith('step by step'));
  return from < 0 ? [] : readLines(lines.slice(from + 1, lines.indexOf('', from + 1)));
};

const readMarkdown = (cell: CellResult): Told[] =>
  proofLines(cell).flatMap((line) =>
    line.startsWith('also seen') ? [] : readLines([line]).filter(({ step }) => STEPS.includes(step)),
  );

/** The numbered list of the page. */
const readPage = (cell: CellResult): Told[] => {
  const page = renderProof(cell, planTimeline(listProof(cell.attribution), undefined)).text;
  return [...page.matchAll(/<li>([\s\S]*?)<\/li>/g)].flatMap(([, item = '']) => {
    const step = /<b class="step">(\w+)</.exec(item)?.[1] ?? '';
    const time = /<time>(\S+)</.exec(item)?.[1];
    const text = (/<\/a>([\s\S]*)$/.exec(item)?.[1] ?? '').trim();
    return time === undefined ? [] : [{ time: withParts(time), step, text }];
  });
};

/** The timeline of `diff`, here of a cell and itself: both sides have the same records. */
const readDiff = (cell: CellResult): Told[] => {
  const diff = compareCells({ run: 'a', cell }, { run: 'b', cell });
  const lines = renderCellDiff(diff).split('\n');
  const rows = lines.slice(lines.findIndex((line) => line.startsWith('timeline')) + 2);
  return diff.timeline.map(({ step, now }, index) => ({
    time: String(now?.afterMs ?? 0).padStart(12, '0'),
    step,
    text: /(?<=\s{2})\([^)]*\)/.exec(rows[index] ?? '')?.[0] ?? '',
  }));
};

const SAID =
  /^\((?:already \w+ .* before|(?:seen|read|logged) .* after|cut to whole seconds|\d.* after the \w+ by )/;

/** Lines that go back in time, and lines of a step behind those of a later one where neither says why. */
function findBack(lines: readonly Told[]): string[] {
  return lines.flatMap((late, index) =>
    lines.slice(0, index).flatMap((early) => {
      if (late.time < early.time) return [`${late.time} is behind ${early.time}`];
      const isBehind = late.step !== '' && STEPS.indexOf(early.step) > STEPS.indexOf(late.step);
      const isSaid = SAID.test(early.text) || SAID.test(late.text);
      return isBehind && !isSaid && early.time !== late.time
        ? [`${early.step} ${early.time} > ${late.step}`]
        : [];
    }),
  );
}

describe('no page goes back in time without a word', async () => {
  const stories = await allStories();
  const cells = [
    ...captureNames().map((name) => ({ name, cell: cellOf(loadCapture(name)) })),
    ...stories.map(({ name, tell }) => ({ name, cell: cellOf(tell()) })),
  ].filter(({ cell }) => stepsOf(cell.attribution).length > 0);

  it.each([
    ['the terminal', readTerminal],
    ['Markdown', readMarkdown],
    ['the browser', readPage],
    ['a comparison', readDiff],
  ])('in %s', (_, read) => {
    const told = cells.map(({ name, cell }) => ({ name, lines: read(cell) }));
    expect(told.filter(({ lines }) => lines.length === 0)).toEqual([]);
    expect(told.flatMap(({ name, lines }) => findBack(lines).map((what) => `${name}: ${what}`))).toEqual([]);
    // Else the words were never needed.
    const said = told.filter(({ lines }) => lines.some(({ text }) => SAID.test(text)));
    expect(said.length).toBeGreaterThan(50);
  });

  it('in either column of a comparison of two different ends', () => {
    const times = (diff: CellDiff, side: 'before' | 'now'): number[] =>
      diff.timeline.flatMap((row) => row[side]?.afterMs ?? []);
    for (const [index, { cell }] of cells.entries()) {
      const other = cells[index + 1]?.cell ?? cell;
      const diff = compareCells({ run: 'a', cell }, { run: 'b', cell: other });
      for (const side of ['before', 'now'] as const)
        expect(times(diff, side)).toEqual(times(diff, side).toSorted((a, b) => a - b));
    }
  });

  it('on the time axis, where a bar or a tail shows what is not known exactly', () => {
    for (const { cell } of cells) {
      const timeline = planTimeline(listProof(cell.attribution), undefined);
      const { marks } = timeline;
      const page = renderTimeline(timeline).text;
      const reaches = [...page.matchAll(/class="reach (tail )?/g)];
      const isInexact = ({ ref: { source, aside = '' }, aheadMs }: (typeof marks)[number]): boolean =>
        ['pod', 'node', 'cgroup', 'witness'].includes(source) || aside.startsWith('logged') || aheadMs > 0;
      expect(reaches.filter(([, tail]) => tail !== undefined)).toHaveLength(marks.filter(isInexact).length);
      expect(reaches.filter(([, tail]) => tail === undefined)).toHaveLength(
        marks.filter(({ ref: { source, at } }) => source === 'event' && at.endsWith('.000Z')).length,
      );
    }
  });
});
