import type { StimulusKind } from '../../model/declared/stimulus.ts';
import type { Alteration, Removal } from './intervention.ts';

/** A script that the lab runs on the node is not run. */
export const NODE_COMMAND: Alteration = { change: 'hold-back', stimulus: 'node-command' };

/** A stimulus is held back. */
export function holdBack(
  takes: string,
  stimulus: StimulusKind,
  where?: Readonly<Record<string, string>>,
): Removal {
  return { takes, changes: [{ change: 'hold-back', stimulus, ...(where === undefined ? {} : { where }) }] };
}
