import type { CellResult } from '../../model/saved/formats.ts';
import type { Origin } from '../../model/saved/origin.ts';
import type { GatedCell, SeenDeath } from '../../model/saved/gate.ts';
import { spellToday } from '../../model/host/spell-today.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { keyOfDeath, readDeathOf } from './read-death.ts';

/** One run of a cell, as it was saved. */
export interface Trial {
  /** Id of its run. */
  readonly run: string;
  readonly cell: CellResult;
  readonly accelerator: GatedCell['accelerator'];
  /** Digest of its scenario, where that was saved. */
  readonly digest?: string | undefined;
  /** What its nodes said that they run, as far as that was saved. */
  readonly versions?: Readonly<Record<string, string>> | undefined;
  /** Its programs, as far as that was saved. */
  readonly components?: Origin['components'] | undefined;
}

/** Records of a proof that a baseline keeps. */
const MOST_PROOF = 4;

/** A trial of a cell with the address that it has today. */
export function spellTrial(trial: Trial): Trial {
  const cell = spellToday(trial.cell, () => trial.versions);
  return cell === trial.cell ? trial : { ...trial, cell };
}

/** The cells of trials, by the address that they have today, each with how often it ended in which way. A trial of a run counts once. */
export function gatherTrials(trials: readonly Trial[]): GatedCell[] {
  const unique = [...new Map(trials.map((trial) => [placeOfTrial(trial), spellTrial(trial)])).values()];
  return [...groupBy(unique, ({ cell }) => cell.address)]
    .map(([, ofCell]) => gatherCell(ofCell))
    .toSorted((one, other) => (one.address < other.address ? -1 : 1));
}

function gatherCell(trials: readonly Trial[]): GatedCell {
  const first = trials[0];
  if (first === undefined) throw new RangeError('a cell has at least one trial');
  const { address, variant, scenario, parameters } = first.cell;
  const decided = trials.filter(({ cell }) => isDecidedCell(cell));
  const undecided = trials.filter(({ cell }) => !isDecidedCell(cell));
  const cell: GatedCell = {
    address,
    variant,
    scenario,
    ...parametersField(parameters ?? {}),
    accelerator: first.accelerator,
    versions: { ...trials.find(({ versions }) => versions !== undefined)?.versions },
    of: decided.length,
    deaths: countDeaths(decided),
    undecided: undecided.map((trial) => describeUndecided(trial.cell)),
    seconds: decided
      .map(({ cell: { timings } }) => Math.round(timings.totalMs / 100) / 10)
      .toSorted((one, other) => one - other),
  };
  const digest = trials.find((trial) => trial.digest !== undefined)?.digest;
  if (digest !== undefined) cell.digest = digest;
  return cell;
}

/** Why a cell is not an observation: `inconclusive: the witness had a gap`. */
export function describeUndecided({ verdict, note }: CellResult): string {
  return note === undefined ? verdict : `${verdict}: ${note}`;
}

/** A verdict about somebody known says how a container ended; that a container never started, only one that expected it. */
export function isDecidedCell({ verdict, attribution, expected }: CellResult): boolean {
  if (attribution.killer === 'unknown') return verdict === 'passed' && Object.hasOwn(expected, 'neverStarts');
  return verdict === 'passed' || verdict === 'failed';
}

function countDeaths(trials: readonly Trial[]): SeenDeath[] {
  const byDeath = groupBy(trials, ({ cell }) => keyOfDeath(readDeathOf(cell)));
  return [...byDeath.values()]
    .map((same): SeenDeath => {
      const trial = same[0]!;
      const { cell } = trial;
      return {
        ...readDeathOf(cell),
        count: same.length,
        claims: cell.claims.map((claim) => ({ ...claim })),
        because: cell.attribution.because.slice(0, MOST_PROOF),
        evidence: placeOfTrial(trial),
      };
    })
    .toSorted((one, other) => other.count - one.count);
}

/** Where a trial is kept: id of its run, then the folder in it. */
export function placeOfTrial({ run, cell }: Trial): string {
  return `${run}/${cell.evidence === '' ? cell.address : cell.evidence}`;
}
