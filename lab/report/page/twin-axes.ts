import type { CellResult } from '../../model/saved/formats.ts';
import { describeWho } from '../words/cell-words.ts';
import { html, type Html } from '../text/html.ts';
import { linkToCell } from './links.ts';
import type { Moment, Spot, Timeline } from './plan-timeline.ts';
import { describeAxis, drawAxis, lanesOf, placeMoments, spellOffset } from './timeline.ts';

/** What the page of a twin needs of a time axis. It is little, because a report keeps that of each cell. */
export interface TwinAxis extends Pick<Timeline, 'startedAt' | 'endedAt'> {
  readonly marks: readonly Spot[];
}

/** The part of a time axis that is kept. */
export function toTwinAxis({ marks, startedAt, endedAt }: Timeline): TwinAxis {
  const spots = marks.map(({ ref: _, ...spot }): Spot => spot);
  return { marks: spots, startedAt, endedAt };
}

/** A cell with its time axis. */
export interface TwinSide {
  readonly cell: CellResult;
  readonly axis: TwinAxis;
}

/** What is 0 on both axes: the first of these that both sides have. */
const ZEROS = [
  { name: 'the start of the container', of: ({ startedAt }: TwinAxis) => startedAt },
  { name: 'the end of the victim', of: ({ endedAt }: TwinAxis) => endedAt },
  { name: 'the first record that is shown', of: ({ marks }: TwinAxis) => marks[0]?.at },
] as const;

/**
 * Draws two cells on one scale, one below the other: what happened equally long after the beginning of each is shown
 * one below the other, so that a reader sees where they diverge. Nothing when one of them left no record.
 */
export function renderTwinAxes(own: TwinSide, twin: TwinSide): Html {
  const sides = [own, twin];
  const zero = ZEROS.find(({ of }) => sides.every(({ axis }) => of(axis) !== undefined));
  if (zero === undefined || sides.some(({ axis }) => axis.marks.length === 0)) return html``;
  const drawn = sides.map(({ cell, axis }) => ({ cell, ...shift(axis, zero.of(axis) ?? 0) }));
  const rows = new Map<Moment, string>(
    drawn.flatMap(({ marks }, side) => marks.map((mark) => [mark, `${side} ${mark.lane}`] as const)),
  );
  const { xs, width } = placeMoments(
    drawn.flatMap(({ marks, end }) => [...marks, ...(end === undefined ? [] : [end])]),
    (moment) => rows.get(moment),
  );
  const lanes = lanesOf(drawn.flatMap(({ marks }) => marks));
  return html`<p class="hint">
      Both on one scale: 0 is ${zero.name}, the red line is the end of the victim. Numbers are those of each
      cell's own list.
    </p>
    <div class="scroll twins" tabindex="0" role="region" aria-label="Both time axes">
      ${drawn.map(({ cell, marks, end }, side) => {
        const label = `${cell.address}: ${describeAxis(marks, end?.at)}${describeEnd(end?.at)}`;
        return html`<p>
            ${side === 0 ? html`<strong>${cell.address}</strong>` : linkToCell(cell)}
            <span class="${cell.verdict}"><span class="verdict">${cell.verdict}</span></span
            >, ${describeWho(cell)}${describeEnd(end?.at)}
          </p>
          ${drawAxis({ marks, end, zero: 0, lanes, xs, width, of: cell.address }, label)}`;
      })}
    </div>`;
}

function describeEnd(at: number | undefined): string {
  return at === undefined ? ', no end' : `, ended at ${spellOffset(at)}`;
}

/** An axis whose times count from a zero. */
function shift(
  { marks, endedAt }: TwinAxis,
  zero: number,
): { readonly marks: readonly Spot[]; readonly end: Moment | undefined } {
  return {
    marks: marks.map((mark) => ({ ...mark, at: mark.at - zero })),
    end: endedAt === undefined ? undefined : { at: endedAt - zero },
  };
}
