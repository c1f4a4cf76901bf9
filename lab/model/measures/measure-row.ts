/** Units of measures, in which every number of one is; a plain count has none. */
export const UNIT_MEANINGS = { ms: 'milliseconds', s: 'seconds', MiB: 'mebibytes' } as const;

/** What a measure is of. */
export const SUBJECT_MEANINGS = {
  victim: "the victim's container: a sample counts while the victim's first process is in it",
  node: 'the node that the victim is on, as a whole',
} as const;

/** A quantity that is read from saved evidence. */
export interface MeasureRow {
  /** The unit of its numbers; empty for a plain count. */
  readonly unit: keyof typeof UNIT_MEANINGS | '';
  readonly of: keyof typeof SUBJECT_MEANINGS;
  /** Who measures it: a sampler of the scenario prints it, or the lab reads it in what it saves anyway. */
  readonly from: 'sampler' | 'witness' | 'events' | 'registry' | 'pods' | 'nodes' | 'heartbeat';
  /** Every change of it is a number, however few there are: one decides. Absent for what is looked at now and then. */
  readonly isEveryChange?: true;
  /** What it is, in one line; Markdown. */
  readonly means: string;
  /** Nothing that is measured is smaller or larger: another number is junk. */
  readonly least: number;
  readonly most: number;
}

/** More than anything counts here. */
export const MANY = 1e9;

/** The shapes of most rows: what a sampler counts, says with 0 or 1, or gives in MiB. */
export const NODE_COUNT = { unit: '', of: 'node', from: 'sampler', least: 0, most: MANY } as const;
export const NODE_FLAG = { unit: '', of: 'node', from: 'sampler', least: 0, most: 1 } as const;
export const VICTIM_COUNT = { unit: '', of: 'victim', from: 'sampler', least: 0, most: MANY } as const;
export const VICTIM_FLAG = { unit: '', of: 'victim', from: 'sampler', least: 0, most: 1 } as const;
export const VICTIM_MIB = { unit: 'MiB', of: 'victim', from: 'sampler', least: 0, most: MANY } as const;
