import { CATALOGUE_VERBS } from './catalogue-verbs.ts';
import { CLUSTER_VERBS } from './cluster-verbs.ts';
import { HOST_VERBS } from './host-verbs.ts';
import { RUN_VERBS } from './run-verbs.ts';
import { SAVED_RUN_VERBS } from './saved-run-verbs.ts';
import type { Verb } from './verb.ts';

/** The verbs under the headings of the help. The row of a verb is in the file of its heading. */
export const VERB_GROUPS: Readonly<Record<string, readonly Verb[]>> = {
  Clusters: CLUSTER_VERBS,
  Runs: RUN_VERBS,
  'Saved runs': SAVED_RUN_VERBS,
  Catalogue: CATALOGUE_VERBS,
  'This machine': HOST_VERBS,
};

/** Every verb, in the order of the help. */
export const VERBS: readonly Verb[] = Object.values(VERB_GROUPS).flat();
