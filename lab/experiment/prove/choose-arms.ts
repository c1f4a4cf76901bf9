import type { Killer } from '../../model/killers/killers.ts';
import type { CauseTaken, NamedCause, ProofArm } from '../../model/saved/prove.ts';
import type { Outcome } from '../../model/declared/scenario.ts';
import { INTERVENTIONS, interventionFor } from './intervention-table.ts';
import { isRemoval, type Alteration } from './intervention.ts';
import { takeAway, type StagedScenario, type TakenAway } from './take-away.ts';

/** One of the ways in which the same death is staged again. */
export interface Arm extends StagedScenario {
  readonly arm: ProofArm;
  /** What the run expects of it; absent: what is expected of the cell. */
  readonly outcome?: Outcome;
}

/** What is run to prove a verdict. */
export interface ChosenArms {
  readonly cause: CauseTaken;
  /** As it was, without the cause, without innocents. */
  readonly arms: readonly Arm[];
}

/** So many innocents are taken away, each by itself. */
const MOST_INNOCENTS = 1;

/**
 * Chooses what is staged: as it was, without the cause, and without the nearest innocents.
 *
 * @param suspects other killers, the nearest first.
 * @param watchSeconds how long a container that must live is watched.
 */
export function chooseArms(
  staged: StagedScenario,
  named: NamedCause,
  { suspects, watchSeconds }: { readonly suspects: readonly Killer[]; readonly watchSeconds: number },
): ChosenArms {
  const asItWas: Arm = { ...staged, arm: { kind: 'as-it-was', made: [] } };
  const removal = interventionFor(named.killer, named.how);
  if (!isRemoval(removal)) return { cause: { state: 'none', why: removal.none }, arms: [] };
  const taken = takeAway(staged, removal);
  if (taken === undefined)
    return {
      cause: { state: 'absent', why: `the scenario has nothing of that (${removal.takes})` },
      arms: [asItWas],
    };
  const withoutCause: Arm = {
    ...watchLonger(taken, `without-${named.killer}`, watchSeconds),
    arm: { kind: 'without-cause', killer: named.killer, takes: removal.takes, made: [...taken.made] },
    outcome: { killer: 'none', survivesSeconds: watchSeconds, mayDie: ['*/*/*'] },
  };
  const innocents = suspects.flatMap((suspect) => spareOne(staged, named, taken, suspect));
  return {
    cause: { state: 'taken', isPartial: removal.isPartial === true },
    arms: [asItWas, withoutCause, ...innocents.slice(0, MOST_INNOCENTS)],
  };
}

/** The cell without a suspect, where something of it can be taken away that the cause does not need. */
function spareOne(staged: StagedScenario, named: NamedCause, cause: TakenAway, suspect: Killer): Arm[] {
  const row = INTERVENTIONS[suspect];
  if (!isRemoval(row) || row.alsoStops?.includes(named.killer) === true) return [];
  const own = row.changes.filter(isOfOneKiller);
  const taken =
    takeAway(staged, { changes: own }) ??
    (row.guard === undefined ? undefined : takeAway(staged, { changes: row.guard }));
  if (taken === undefined || taken.made.some((change) => cause.made.includes(change))) return [];
  return [
    {
      ...rename(taken, `without-innocent-${suspect}`),
      arm: { kind: 'without-innocent', killer: suspect, takes: row.takes, made: [...taken.made] },
    },
  ];
}

/** Whatever a script or another pod does may be anybody's act; another variant is another world. */
function isOfOneKiller(change: Alteration): boolean {
  if (change.change === 'axis') return false;
  return change.change !== 'hold-back' || !['node-command', 'create'].includes(change.stimulus);
}

function watchLonger(staged: StagedScenario, suffix: string, seconds: number): StagedScenario {
  const { loaded, variant } = rename(staged, suffix);
  const { scenario } = loaded;
  const timeoutSeconds = Math.max(scenario.timeoutSeconds, seconds + START_SECONDS);
  return { loaded: { ...loaded, scenario: { ...scenario, timeoutSeconds } }, variant };
}

/** Until a container runs, and until what is watched is over. */
const START_SECONDS = 90;

/** It is a scenario of its own, so that nobody takes its results for those of the cell. It was chosen, so nothing is required. */
function rename({ loaded, variant }: StagedScenario, suffix: string): StagedScenario {
  const { scenario } = loaded;
  const name = `${scenario.name}-${suffix}`;
  return {
    loaded: { ...loaded, scenario: { ...scenario, name, variants: [], requires: undefined } },
    variant,
  };
}
