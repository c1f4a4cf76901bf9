/** One line of the result: ours, what it is compared with, and the ratio that we want. */
export interface Row {
  readonly what: string;
  readonly ours: number;
  readonly bare: number;
  /** The ratio that must not be passed; absent where nothing was promised. */
  readonly target?: number;
  readonly unit: 's' | 'MiB';
}

/** The value below which a share (0 to 1) of the values is; nearest rank. NaN when there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/** The middle value; NaN when there are none. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** `1.39x  within 1.5x  what  (4.2 s / 3.0 s)`. */
export function formatRow({ what, ours, bare, target, unit }: Row): string {
  const ratio = ours / bare;
  const figures = `${ours.toFixed(1)} ${unit} / ${bare.toFixed(1)} ${unit}`;
  const verdict = target === undefined ? '' : `  ${ratio <= target ? 'within' : 'ABOVE'} ${target}x`;
  return `${ratio.toFixed(2)}x${verdict}  ${what}  (${figures})`;
}

/** Seconds of milliseconds, for a row. */
export function seconds(ms: number): number {
  return ms / 1000;
}
