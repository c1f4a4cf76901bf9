import { HYPOTHESES } from '../../lab/judge/killer/hypothesis-table.ts';
import type { Hypothesis } from '../../lab/judge/killer/hypothesis.ts';
import { markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';

/** Renders what each hypothesis of the judge predicts, in the order of its table. */
export function renderHypotheses(): string {
  return [
    ...markdownHead(['way to the end', 'names', 'last act', 'excluded by silence of']),
    ...HYPOTHESES.map((hypothesis) => markdownRow(rowOf(hypothesis))),
  ].join('\n');
}

function rowOf({ what, killers, acts, left, residual }: Hypothesis): string[] {
  const sources = left.sources.map((set) => set.join(' and ')).join(', or ');
  return [
    residual === true ? `${what} (_left over_)` : what,
    killers.length === 0 ? 'nobody' : killers.map((killer) => `\`${killer}\``).join(', '),
    acts.join(', '),
    sources === '' ? '-' : sources,
  ];
}
