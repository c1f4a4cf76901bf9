import { variantName } from '../../model/axes/axes.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { scenarioPart } from '../../model/host/cell-address.ts';
import {
  type ComparedGateCell,
  type GatedCell,
  type GatedSide,
  type GateResult,
} from '../../model/saved/gate.ts';
import { GATED_PROGRAMS, type GatedProgram } from '../../model/variants/gated-programs.ts';
import {
  countTrialsNeeded,
  decideChange,
  listOtherClaims,
  MOST_TRIALS,
  RULE,
  tallyOf,
  type DecidedChange,
} from './decide-change.ts';
import { keyOfCell } from './key-of-cell.ts';
import { describeDeath, describeTurn, keyOfDeath } from './read-death.ts';

/** What is held against what. */
export interface GateSides {
  readonly base: readonly GatedCell[];
  readonly head: readonly GatedCell[];
  /** The program under test: cells are the same whatever its version is. */
  readonly program?: GatedProgram | undefined;
  /** Keys of the cells that were to be looked at; left out: all of the baseline. */
  readonly chosen?: ReadonlySet<string> | undefined;
}

/**
 * Compares the deaths of both sides. The answer depends on nothing but what was saved of the cells.
 *
 * @param sides of which no two cells of one side have the same key (`listClashes`), and none is of another configuration
 *   (`list-foreign.ts`).
 */
export function compareGate(
  sides: GateSides,
): Pick<GateResult, 'rule' | 'changed' | 'flaky' | 'notDecided' | 'same' | 'new' | 'leftOut'> {
  const { base, head, program, chosen } = sides;
  const byKey = new Map(head.map((cell) => [keyOfCell(cell, program), cell]));
  const keys = new Set(base.filter(isSeen).map((cell) => keyOfCell(cell, program)));
  const result = { changed: [], flaky: [], notDecided: [], same: [], new: [], leftOut: [] } as Pick<
    GateResult,
    'changed' | 'flaky' | 'notDecided' | 'same' | 'new' | 'leftOut'
  >;
  for (const cell of base) {
    const key = keyOfCell(cell, program);
    if (!isSeen(cell)) continue;
    if (chosen !== undefined && !chosen.has(key)) {
      result.leftOut.push(cell.address);
      continue;
    }
    const now = byKey.get(key);
    const blind = whyBlind(cell, now);
    if (now === undefined || blind !== undefined) {
      result.notDecided.push({ address: now?.address ?? cell.address, why: blind ?? '' });
      continue;
    }
    const change = decideChange(cell, now);
    if (change.state === 'open')
      result.notDecided.push({ address: now.address, why: describeOpen(cell, now, change) });
    else result[change.state].push(compareGatedCell(cell, now, change));
  }
  result.new.push(
    ...head
      .filter((cell) => isSeen(cell) && !keys.has(keyOfCell(cell, program)))
      .map(({ address }) => address),
  );
  return { rule: { ...RULE }, ...result };
}

/** A cell that rules skipped on this side was never looked at. */
function isSeen({ of, undecided }: GatedCell): boolean {
  return of > 0 || undecided.some((why) => !why.startsWith('skipped'));
}

/** Why nothing can be said of a cell; undefined when something can. */
function whyBlind(base: GatedCell, head: GatedCell | undefined): string | undefined {
  if (base.of === 0) return `the baseline has no verdict of it (${namesOnce(base.undecided)})`;
  if (head === undefined) return 'it was not run with the change';
  if (head.of === 0) return `with the change there is no verdict of it (${namesOnce(head.undecided)})`;
  return undefined;
}

function namesOnce(why: readonly string[]): string {
  return [...new Set(why)].join('; ');
}

function describeOpen(base: GatedCell, head: GatedCell, { gained, lost }: DecidedChange): string {
  const { from, to } = describeTurn(lost, gained);
  const needed = countTrialsNeeded(base);
  const next =
    needed === undefined
      ? `the baseline has too few trials to tell: record it with --repeat 3`
      : head.of >= MOST_TRIALS
        ? 'it is new, and not frequent enough to tell'
        : `${needed} of ${needed} would decide`;
  return `${to} instead of ${from} in ${spellRate(head, gained)} (base ${spellRate(base, gained)}): ${next}`;
}

function spellRate(side: Pick<GatedCell, 'of' | 'deaths'>, death: Parameters<typeof keyOfDeath>[0]): string {
  const { count, of } = tallyOf(side, keyOfDeath(death));
  return `${count} of ${of}`;
}

function compareGatedCell(base: GatedCell, head: GatedCell, change: DecidedChange): ComparedGateCell {
  return {
    address: head.address,
    says: describeChange(base, head, change),
    confidence: change.confidence,
    base: sideOf(base),
    head: sideOf(head),
    claims: listOtherClaims(base.deaths[0], head.deaths[0]),
  };
}

function describeChange(base: GatedCell, head: GatedCell, { state, gained, lost }: DecidedChange): string {
  if (state === 'same') return `${describeDeath(gained)}, as before`;
  if (state === 'flaky') {
    const ways = [
      ...new Map([...base.deaths, ...head.deaths].map((death) => [keyOfDeath(death), death])).values(),
    ];
    const rates = ways.map(
      (death) => `${describeDeath(death)} in ${spellRate(head, death)} (base ${spellRate(base, death)})`,
    );
    return `flaky, as before: ${rates.join('; ')}`;
  }
  const { from, to } = describeTurn(lost, gained);
  return `this change turns ${from} into ${to} in ${spellRate(head, gained)} (base ${spellRate(base, gained)})`;
}

function sideOf({ address, of, deaths, undecided, seconds }: GatedCell): GatedSide {
  const side: GatedSide = {
    address,
    of,
    deaths: deaths.map((death) => ({ ...death, text: describeDeath(death) })),
    undecided,
  };
  const median = seconds[Math.floor(seconds.length / 2)];
  if (median !== undefined) side.seconds = median;
  return side;
}

/** Cells of one side that are the same cell but for the program under test: which of them is meant is not known. */
export function listClashes(cells: readonly GatedCell[], program: GatedProgram | undefined): string[] {
  const seen = new Map<string, string>();
  return cells.filter(isSeen).flatMap((cell) => {
    const key = keyOfCell(cell, program);
    const other = seen.get(key);
    seen.set(key, cell.address);
    return other === undefined ? [] : [`${other} and ${cell.address}`];
  });
}

/** Whether a gate looked at all that it was to look at, and what it found. */
export function statusOfGate({
  changed,
  notDecided,
  same,
  flaky,
}: GateResult): 'passed' | 'failed' | 'inconclusive' {
  if (changed.length > 0) return 'failed';
  return notDecided.length > 0 || same.length + flaky.length === 0 ? 'inconclusive' : 'passed';
}

/** The address of a cell of a baseline with another value on the axis of the program under test. */
export function addressWith(cell: GatedCell, program: GatedProgram, value: string): string {
  const name = variantName({ ...cell.variant, [GATED_PROGRAMS[program]]: value });
  return `${name}/${scenarioPart(cell.address)}`;
}

/** The head of an answer. */
export function gateHead(
  baseline: string,
  head: readonly string[],
  program: GatedProgram | undefined,
): Pick<GateResult, 'formatVersion' | 'baseline' | 'head' | 'for'> {
  return {
    formatVersion: FORMAT_VERSION,
    baseline,
    head: [...head],
    ...(program === undefined ? {} : { for: program }),
  };
}
