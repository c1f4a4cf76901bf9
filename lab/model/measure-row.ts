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
