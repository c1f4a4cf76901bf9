/** A component that no source had when it was last asked for. */
export interface NotHad {
  /** Day of that, `2026-11-28`. */
  readonly day: string;
  /** What each source said. */
  readonly why: string;
}
