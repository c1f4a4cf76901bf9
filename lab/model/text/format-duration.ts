/** Milliseconds for a reader: `8.4 s`, `2m 05s`, `1h 02m`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m ${String(whole % 60).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`;
}

/** Milliseconds rounded to seconds, with at most so many decimals: `12 s`, `12.5 s`. */
export function formatSeconds(ms: number, decimals = 0): string {
  const scale = 10 ** decimals;
  return `${Math.round((ms * scale) / 1000) / scale} s`;
}

/** Milliseconds as Go prints a duration of whole seconds: `45s`, `8m0s`. */
export function formatGoDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

/** A time between two records: `66 ms`, and from a second on as a duration. */
export function formatSpan(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : formatDuration(ms);
}
