import type { CellHistory } from '../../model/saved/history.ts';
import { plural } from '../../model/text/plural.ts';
import { html, type Html } from '../text/html.ts';
import { VERDICT_MARKS } from '../words/describe-verdict.ts';

/** Marks that are shown of one cell: its newest runs. */
const MAX_MARKS = 12;
/** A cell whose verdict changed so often is called flaky. */
const FLAKY_CHANGES = 2;

/** A mark for each run of a cell up to this one, oldest first; nothing when there is only this one. */
export function renderPast(history: CellHistory | undefined): Html {
  if (history === undefined || history.runs.length < 2) return html``;
  const marks = history.runs
    .slice(-MAX_MARKS)
    .map(({ verdict }) => ({ verdict, mark: VERDICT_MARKS[verdict] }));
  return html`<span class="past" role="img" aria-label="${describePast(history)}"
      >${marks.map(({ verdict, mark }) => (verdict === 'passed' ? mark : html`<b class="${verdict}">${mark}</b>`))}</span
    >${history.changes >= FLAKY_CHANGES ? html` <span class="flaky">flaky</span>` : ''}`;
}

/** `5 runs: 1 of 5 failed, the verdict changed once`. */
export function describePast({ runs, failing, changes }: CellHistory): string {
  const often = changes === 0 ? 'never' : plural(changes, 'time');
  return `${plural(runs.length, 'run')}, ${failing.failed} of ${failing.of} failed, the verdict changed ${often}`;
}
