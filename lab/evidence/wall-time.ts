/** Wall time in milliseconds of a time on the node's monotonic clock in microseconds. */
export type ToWall = (monoMicros: number) => number;

/** Both clocks of a node at one moment. */
export interface ClockPair {
  readonly wallMs: number;
  readonly monoMicros: number;
}

/** More than any clock drifts within one cell, in ms. */
const STEP_MS = 1000;

/** Extends the wall clock of that moment to any other moment of the same boot. */
export function wallOf({ wallMs, monoMicros }: ClockPair): ToWall {
  return (micros) => wallMs + (micros - monoMicros) / 1000;
}

/** Whether somebody stepped the wall clock: at a moment it differs from what the monotonic clock says. */
export function isStepped({ wallMs, monoMicros }: ClockPair, toWall: ToWall): boolean {
  return Math.abs(wallMs - toWall(monoMicros)) > STEP_MS;
}
