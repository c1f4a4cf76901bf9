import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sum } from '../../../lab/model/text/sum.ts';
import { PROJECT } from '../../cli/support/run-cli.ts';

/** In the order of the columns of the summary, after the number of claims. */
const OUTCOMES = ['seen, right', 'seen, wrong', 'cell exists, not run yet', 'cannot be shown here'];

const [, ...sections] = readFileSync(join(PROJECT, 'docs/measured/articles.md'), 'utf8').split(/^## /m);
const articles = sections.filter((section) => /^\d{3}: /.test(section));
const summary = sections.find((section) => section.startsWith('Summary')) ?? '';

const readRows = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

/** Claims, then how many of them have each outcome. */
function count(text: string): number[] {
  const outcomes = readRows(text).map((row) => row[2] ?? '');
  const counts = OUTCOMES.map((start) => outcomes.filter((outcome) => outcome.startsWith(start)).length);
  return [sum(counts), ...counts];
}

describe('the page of the articles', () => {
  it('adds up the outcomes of its rows in its summary', () => {
    const counts = articles.map(count);
    const all = (counts[0] ?? []).map((_, column) => sum(counts.map((row) => row[column] ?? 0)));
    const told = readRows(summary).slice(2);
    expect(told.map((row) => row.slice(1).map(Number))).toEqual([...counts, all]);
  });

  it('gives every claim an outcome', () => {
    const rows = articles.flatMap(readRows).filter(([claim]) => claim?.startsWith('"') === true);
    expect(rows.length).toBeGreaterThan(150);
    for (const [claim, , outcome = ''] of rows)
      expect([claim, OUTCOMES.some((start) => outcome.startsWith(start))]).toEqual([claim, true]);
  });
});
