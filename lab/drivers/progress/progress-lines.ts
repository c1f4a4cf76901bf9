import { formatDuration, formatSeconds } from '../../model/text/format-duration.ts';
import type { Colours } from './progress-display.ts';

/** A step that runs, and what runs inside of it. */
export interface RunningStep {
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** What it does now; empty: nothing to add. */
  readonly detail: string;
  /** What it will still take, in milliseconds, when somebody knows. */
  readonly remaining?: (now: number) => number | undefined;
  readonly inside: readonly RunningStep[];
}

/** How the lines of a terminal look. */
export interface LineStyle {
  /** Columns that a line may take. */
  readonly width: number;
  readonly colours: Colours;
  /** Printed before each running step. */
  readonly frame: string;
}

/** Below this rest an estimate says nothing any more. */
const SHORTEST_REST_MS = 1000;
/** What a long title leaves to the detail, in columns. */
const DETAIL_COLUMNS = 32;

/** One line for each running step, those inside of it below, none wider than the terminal. */
export function renderLiveLines(
  steps: readonly RunningStep[],
  now: number,
  style: LineStyle,
  depth = 0,
): string[] {
  return steps.flatMap((step) => [
    renderLiveLine(step, now, style, depth),
    ...renderLiveLines(step.inside, now, style, depth + 1),
  ]);
}

/** The time is always shown. A long title leaves some room to the detail, which has the rest. */
function renderLiveLine(step: RunningStep, now: number, style: LineStyle, depth: number): string {
  const { colours, width, frame } = style;
  const before = indent(depth);
  const time = ` (${describeTime(step, now)})`;
  const detail = step.detail === '' ? '' : `  ${step.detail}`;
  const room = width - before.length - frame.length - 1 - time.length;
  const title = cut(step.title, room - Math.min(detail.length, DETAIL_COLUMNS));
  return `${before}${colours.cyan(frame)} ${title}${colours.dim(time)}${cut(detail, room - title.length)}`;
}

/** All running steps on one line, for a log in which nothing else happens for a while. */
export function renderHeartbeat(steps: readonly RunningStep[], now: number): string {
  return steps
    .map((step) => {
      const detail = step.detail === '' ? '' : ` ${step.detail}`;
      const inside = step.inside.length === 0 ? '' : ` > ${renderHeartbeat(step.inside, now)}`;
      return `${step.title} (${describeTime(step, now)})${detail}${inside}`;
    })
    .join('; ');
}

/** `12 s, about 40 s left`. */
function describeTime(step: RunningStep, now: number): string {
  const rest = step.remaining?.(now);
  const left = rest === undefined || rest < SHORTEST_REST_MS ? '' : `, about ${formatWhole(rest)} left`;
  return `${formatWhole(now - step.startedAt)}${left}`;
}

/** In whole seconds: tenths that count make every line restless. */
function formatWhole(ms: number): string {
  return ms < 59_500 ? formatSeconds(ms) : formatDuration(ms);
}

function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? '' : `${text.slice(0, width - 1)}…`;
}

/** What is shown before the text of a step inside of others. */
export function indent(depth: number): string {
  return '  '.repeat(depth);
}
