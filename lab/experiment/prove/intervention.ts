import type { Axis } from '../../model/axes/axes.ts';
import type { StimulusKind } from '../../model/declared/stimulus.ts';
import type { How, Killer } from '../../model/killers/killers.ts';

/** Where in the pod of the victim a field is: its own container, every container, every volume, or the pod itself. */
export type FieldPlace = 'container' | 'containers' | 'volumes' | 'pod';

/** One change of a scenario or of its variant that takes a cause away, and nothing else. */
export type Alteration =
  /** A field of the victim's pod is taken out. */
  | { readonly change: 'remove'; readonly of: FieldPlace; readonly field: readonly string[] }
  /** A field of the victim's pod gets a value. */
  | {
      readonly change: 'set';
      readonly of: FieldPlace;
      readonly field: readonly string[];
      readonly value: string | number;
    }
  /** The limits of a resource are lifted, of the pod and of its containers; what they request stays. */
  | { readonly change: 'lift-limit'; readonly resource: 'memory' | 'ephemeral-storage' }
  /** Stimuli of a kind that have these values are not done. */
  | {
      readonly change: 'hold-back';
      readonly stimulus: StimulusKind;
      readonly where?: Readonly<Record<string, string>>;
    }
  /** Another value of an axis, where it has one of these. */
  | { readonly change: 'axis'; readonly axis: Axis; readonly from: readonly string[]; readonly to: string };

/** What takes a killer away. */
export interface Removal {
  /** What is taken away, for a reader: `the liveness probe of the container`. */
  readonly takes: string;
  /** Each is made where the scenario has what it takes away. Where none is made, there is nothing to take away. */
  readonly changes: readonly Alteration[];
  /** The killer may still strike afterwards, only later or seldomer: then its death without the cause says nothing. */
  readonly isPartial?: true;
  /** What makes sure that it was not this one, where the scenario has nothing of it: then it is taken away as an innocent. */
  readonly guard?: readonly Alteration[];
  /** Killers that it keeps off as well: it is not an innocent beside them. */
  readonly alsoStops?: readonly Killer[];
}

/** Why nothing takes a killer away. */
export interface NoRemoval {
  readonly none: string;
}

/** How a killer is taken away. */
export type Intervention = (Removal | NoRemoval) & {
  /** Its ways that need something else than the killer. */
  readonly hows?: Readonly<Partial<Record<How, Removal | NoRemoval>>>;
};

/** Whether something takes it away. */
export function isRemoval(row: Removal | NoRemoval): row is Removal {
  return 'changes' in row;
}
