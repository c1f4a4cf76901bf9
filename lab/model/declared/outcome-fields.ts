import type { Outcome } from './outcome.ts';

/** What must be known for a field of `expect` to be judged. */
interface OutcomeField {
  /** Whether a victim that only its node knows (`victim.onNode`) can be asked for it. */
  readonly onNode: boolean;
  /**
   * What the API must have said for a mismatch to count; where it did not, there is no verdict. Undefined: other sources
   * have it, or its own judge asks whether the API was heard.
   */
  readonly saidByApi?: 'the end of the container' | 'what follows it';
}

const BY_ANY: OutcomeField = { onNode: true };

/** Every field of `expect`: a new one does not compile before it has a row here. */
export const OUTCOME_FIELDS: Readonly<Record<keyof Outcome, OutcomeField>> = {
  killer: BY_ANY,
  level: BY_ANY,
  how: BY_ANY,
  victim: BY_ANY,
  reason: { onNode: false, saidByApi: 'the end of the container' },
  // The kubelet writes it before or after the end of the container.
  podReason: { onNode: false, saidByApi: 'what follows it' },
  exitCode: { onNode: true, saidByApi: 'the end of the container' },
  withinSeconds: BY_ANY,
  survivesSeconds: BY_ANY,
  exceedsLimit: BY_ANY,
  then: { onNode: false, saidByApi: 'what follows it' },
  alsoDies: { onNode: false },
  mayDie: BY_ANY,
  alsoSurvives: { onNode: false },
  or: BY_ANY,
  measures: BY_ANY,
  notBeforeSeconds: BY_ANY,
  attempt: { onNode: false, saidByApi: 'what follows it' },
  neverStarts: { onNode: false },
  survives: { onNode: false },
  shares: { onNode: false },
};

/** A mismatch names a field of `expect`, or something that is not one, such as a measure. */
export function isOutcomeField(name: string): name is keyof Outcome {
  return Object.hasOwn(OUTCOME_FIELDS, name);
}
