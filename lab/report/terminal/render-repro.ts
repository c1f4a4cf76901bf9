import { placeOf } from '../../model/saved/place-of.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { describeRanges, describeWorkaround } from '../words/bug-facts.ts';
import { describeBoundResult } from '../words/measure-lines.ts';
import { describeEnd, describeExpected } from '../words/describe-verdict.ts';
import {
  describeOverrides,
  factNames,
  measureNames,
  type ReproCase,
  type ReproCell,
} from '../words/repro-case.ts';
import { renderSparkline } from '../text/sparkline.ts';

const LABEL = 10;
/** Two columns, their label and the gap between them fit into 100 characters. */
const COLUMN = 43;
const GAP = '  ';

/** Renders a reproduction for a terminal: the affected and the fixed cell side by side, controls below, the outcome. */
export function renderRepro(repro: ReproCase): string {
  const { bug, cells } = repro;
  const pair = cells.filter(({ role }) => role !== 'control');
  const controls = cells.filter(({ role }) => role === 'control');
  const row = (name: string, value: (cell: ReproCell) => string): string[] =>
    renderRow(name, pair.map(value));
  const overrides = describeOverrides(repro);
  const lines = [
    `${bug.id}: ${bug.title}`,
    ...(overrides === undefined ? [] : renderText('asked', overrides)),
    '',
    ...row('', ({ role }) => role),
    ...row('cell', ({ cell }) => cell.address),
    ...row('expected', ({ cell }) => describeExpected(cell)),
    ...row('killer', ({ cell }) => describeEnd(cell)),
    ...row('verdict', ({ cell }) => cell.verdict),
    ...row('note', ({ cell }) => cell.note ?? ''),
    ...row('observed', ({ cell }) => cell.mismatches.map(({ observed }) => observed).join('; ')),
    ...row('proof', ({ cell }) =>
      [
        ...(cell.startFailure === undefined ? [] : [`containerd: ${cell.startFailure.text}`]),
        ...cell.attribution.because.map(placeOf),
      ].join(' '),
    ),
    ...row('API says', ({ cell }) => cell.claims.find(({ layer }) => layer === 'api')?.says ?? ''),
    ...measureNames(pair).flatMap((name) => row(name, ({ cell }) => describeMeasured(cell, name))),
    ...factNames(pair).flatMap((name) => row(name, ({ facts }) => facts[name] ?? '-')),
    ...row('took', ({ cell }) => (cell.timings.totalMs === 0 ? '' : formatDuration(cell.timings.totalMs))),
    ...controls.flatMap(({ cell }) => [
      '',
      `control   ${cell.address}: ${cell.verdict}, ${describeEnd(cell)}`,
    ]),
    ...renderBugFacts(bug),
    '',
    `${repro.outcome}: ${repro.note}`,
  ];
  return lines.join('\n');
}

/** Which versions have the bug, and what can be done meanwhile; nothing where the bug does not say. */
function renderBugFacts(bug: ReproCase['bug']): string[] {
  const workaround = describeWorkaround(bug);
  const lines = [
    ...describeRanges(bug).flatMap(({ text }) => renderText('affects', text)),
    ...(workaround === undefined ? [] : renderText('meanwhile', workaround)),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** A text over both columns, on as many lines as it needs. */
function renderText(name: string, text: string): string[] {
  const lines = wrap(text, COLUMN + GAP.length + COLUMN);
  return lines.map((line, index) => `${(index === 0 ? name : '').padEnd(LABEL)}${line}`);
}

/** What its bounds came to, and its curve. */
function describeMeasured({ measures = [] }: CellResult, name: string): string {
  const found = measures.find(({ measure }) => measure === name);
  if (found === undefined) return '-';
  const curve = renderSparkline(
    found.points.map(({ value }) => value),
    COLUMN,
  );
  return [...found.bounds.map((bound) => describeBoundResult(found, bound)), curve].join(' ');
}

/**
 * Renders one row of the table over as many lines as its longest column needs; no line if all are empty. A name that is
 * too long for its column gets a line of its own.
 */
function renderRow(name: string, values: readonly string[]): string[] {
  if (values.every((value) => value === '')) return [];
  const columns = values.map((value) => wrap(value.replaceAll(/\s+/g, ' ').trim(), COLUMN));
  const height = Math.max(...columns.map((column) => column.length));
  const isLong = name.length >= LABEL;
  const rows = Array.from({ length: height }, (_, index) => {
    const cells = columns.map((column) => (column[index] ?? '').padEnd(COLUMN));
    return `${(index === 0 && !isLong ? name : '').padEnd(LABEL)}${cells.join(GAP)}`.trimEnd();
  });
  return isLong ? [name, ...rows] : rows;
}

/** Breaks a text at its spaces; a word that is longer than the line is cut. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((piece) => cut(piece, width))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function cut(word: string, width: number): string[] {
  return word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [];
}
