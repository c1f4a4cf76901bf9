import { largest, smallest } from '../../model/text/extremes.ts';
const BARS = '▁▂▃▄▅▆▇█';
const WIDTH = 40;

/**
 * Draws numbers as one line of bars, scaled from the smallest to the largest. Equal numbers become a low line. If there are
 * more than fit, each bar is the largest of a group.
 */
export function renderSparkline(values: readonly number[], width = WIDTH): string {
  if (values.length === 0) return '';
  const columns = Math.min(width, values.length);
  const groups = Array.from({ length: columns }, (_, index) =>
    largest(
      values.slice(
        Math.floor((index * values.length) / columns),
        Math.floor(((index + 1) * values.length) / columns),
      ),
    ),
  );
  const least = smallest(groups);
  const span = largest(groups) - least;
  return groups
    .map((value) => BARS[span === 0 ? 0 : Math.round(((value - least) / span) * (BARS.length - 1))] ?? '')
    .join('');
}
