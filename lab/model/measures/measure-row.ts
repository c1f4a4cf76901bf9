/** A quantity that is read from saved evidence. */
export interface MeasureRow {
  /** Of its numbers; empty for a plain count. */
  readonly unit: '' | 'ms' | 's' | 'MiB';
  /** Of the victim's container, or of the node that it is on as a whole. */
  readonly of: 'victim' | 'node';
  /** Who tells it: a sampler of the scenario prints it, or the lab reads it in what it saves anyway. */
  readonly from: 'sampler' | 'witness' | 'events' | 'registry' | 'pods' | 'nodes' | 'heartbeat';
  /** What it is, in one line; Markdown. */
  readonly means: string;
  /** Nothing that is measured is smaller or larger: another number is junk. */
  readonly least: number;
  readonly most: number;
}

/** More than anything counts here. */
export const MANY = 1e9;

/** Bounds of oom_score_adj (include/uapi/linux/oom.h). */
export const [OOM_SCORE_ADJ_MIN, OOM_SCORE_ADJ_MAX] = [-1000, 1000];

/** The shapes of most rows: what a sampler counts, says with 0 or 1, or gives in MiB. */
export const NODE_COUNT = { unit: '', of: 'node', from: 'sampler', least: 0, most: MANY } as const;
export const NODE_FLAG = { unit: '', of: 'node', from: 'sampler', least: 0, most: 1 } as const;
export const VICTIM_COUNT = { unit: '', of: 'victim', from: 'sampler', least: 0, most: MANY } as const;
export const VICTIM_FLAG = { unit: '', of: 'victim', from: 'sampler', least: 0, most: 1 } as const;
export const VICTIM_MIB = { unit: 'MiB', of: 'victim', from: 'sampler', least: 0, most: MANY } as const;
