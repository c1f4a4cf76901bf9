import type { Mismatch } from '../../model/saved/formats.ts';
import { wilsonInterval } from '../../model/rates/rates.ts';
import { settleShare } from '../../model/rates/settle-share.ts';
import {
  countTries,
  describeShareBound,
  endOfShare,
  spellShare,
  type SeenShare,
  type ShareBound,
  type ShareField,
  type Tried,
  type Tries,
} from '../../model/declared/tries.ts';
import { plural } from '../../model/text/plural.ts';
import type { CellCase } from '../case/case-file.ts';
import { decide } from './decide.ts';
import type { Judgement } from './judgement.ts';

/** One death of a cell with tries, judged by itself. */
export interface JudgedTry {
  readonly file: CellCase;
  readonly judged: Judgement;
}

/**
 * Makes one judgement of many deaths. Each has to end as expected, unless a share speaks of the end that it has. A share
 * counts when it is settled: its interval is on one side of the bound. A death that nobody can explain leaves the cell
 * open, and so does one that did not come, unless it cannot change the answer.
 *
 * It shows attribution and claims of one death: the first that is not as expected, else the first without a verdict, else
 * the first.
 *
 * @param all at least one, in the order of the deaths.
 */
export function combineTries(
  tries: Tries,
  all: readonly [JudgedTry, ...JudgedTry[]],
  bounds: readonly ShareBound[],
): Judgement {
  const wanted = countTries(tries);
  const [first] = all;
  const wrong = all.map((one) => ({ one, left: leftOf(one, bounds) })).filter(({ left }) => left.length > 0);
  const unknown = all.filter((one) => isOpen(one, bounds));
  const shares = bounds.map((bound) => weighShare(bound, all, wanted));
  const broke = shares.filter(({ holds }) => holds === false);
  const unsettled = shares.filter(({ holds }) => holds === undefined);
  const shown = (wrong[0]?.one ?? unknown[0] ?? first).judged;
  const judged = {
    ...shown,
    mismatches: [],
    tried: {
      ...countEnds(all),
      wanted,
      asExpected: all.filter((one) => one.judged.verdict === 'passed').length,
      bounds: shares.map(({ bound, holds = null }) => ({ expected: describeShareBound(bound), holds })),
    },
  };
  delete judged.note;
  const reasons = [
    ...(all.length < wanted ? [`${all.length} of ${plural(wanted, 'death')} came`] : []),
    ...(unknown.length === 0 ? [] : [describeUnknown(unknown)]),
    ...unsettled.map(describeUnsettled),
  ];
  const decided = decide(first.file.record, {
    undecided: undefined,
    mismatches: [...groupMismatches(wrong, all.length), ...broke.map(toMismatch)],
    open: reasons.length === 0 ? undefined : reasons.join('; '),
  });
  return { ...judged, ...decided };
}

/** What a share is counted of. */
function valueOf({ file, judged }: JudgedTry, field: ShareField): string | undefined {
  if (field === 'killer') return judged.attribution.killer;
  const value = field === 'reason' ? file.end?.reason : file.end?.exitCode;
  return value === undefined ? undefined : String(value);
}

/**
 * Whether a share lets a death have the value that it has: it speaks of that value. A share of the expected killer lets
 * any other one come, because `killer` cannot name several.
 */
function isExcused(one: JudgedTry, field: string, bounds: readonly ShareBound[]): boolean {
  const { killer } = one.file.record.expected;
  return bounds.some((bound) => {
    const of = endOfShare(bound);
    if (of.field !== field) return false;
    return of.value === valueOf(one, of.field) || (of.field === 'killer' && of.value === killer);
  });
}

/** Where one death is not as expected, without what a share speaks of. */
function leftOf(one: JudgedTry, bounds: readonly ShareBound[]): readonly Mismatch[] {
  if (one.judged.verdict !== 'failed') return [];
  return one.judged.mismatches.filter(({ field }) => !isExcused(one, field, bounds));
}

/** Whether a death has no verdict. Only a share of `unknown` lets the killer be unknown: else it may be a wrong one. */
function isOpen(one: JudgedTry, bounds: readonly ShareBound[]): boolean {
  const { verdict, attribution } = one.judged;
  if (verdict !== 'inconclusive') return false;
  return attribution.killer !== 'unknown' || !bounds.some(({ killer }) => killer === 'unknown');
}

/** How a bound came out. */
interface WeighedShare {
  readonly bound: ShareBound;
  readonly count: number;
  /** Deaths that may be either: those that did not come, and those of which nobody knows. */
  readonly open: number;
  readonly of: number;
  readonly holds: boolean | undefined;
}

function weighShare(bound: ShareBound, all: readonly JudgedTry[], wanted: number): WeighedShare {
  const { field, value } = endOfShare(bound);
  const ofValue = all.filter((one) => valueOf(one, field) === value);
  // A killer that was named without a verdict may be another one.
  const isUnsure = (one: JudgedTry): boolean =>
    valueOf(one, field) === undefined || (field === 'killer' && one.judged.verdict === 'inconclusive');
  const isSeen = (one: JudgedTry): boolean => value === 'unknown' || !isUnsure(one);
  const count = ofValue.filter(isSeen).length;
  const unsure = all.filter((one) => isUnsure(one) && !(ofValue.includes(one) && isSeen(one))).length;
  const of = Math.max(wanted, all.length);
  const open = unsure + of - all.length;
  return { bound, count, open, of, holds: settleShare({ count, open, of }, bound) };
}

function toMismatch({ bound, count, of }: WeighedShare): Mismatch {
  return { field: 'shares', expected: describeShareBound(bound), observed: describeCounted(count, of) };
}

function describeUnsettled({ bound, count, open, of }: WeighedShare): string {
  const either = open === 0 ? '' : `, and ${open} that may be either`;
  return `not settled: ${describeShareBound(bound)}; ${describeCounted(count, of)}${either}`;
}

function describeCounted(count: number, of: number): string {
  const { low, high } = wilsonInterval(count, of);
  return `${count} of ${of}, ${spellShare(low)} to ${spellShare(high)} in the long run`;
}

function describeUnknown([first, ...others]: readonly JudgedTry[]): string {
  return `${plural(others.length + 1, 'death')} without a verdict, the first: ${first?.judged.note ?? 'unknown'}`;
}

/** The same mismatch of several deaths, once. */
function groupMismatches(wrong: readonly { readonly left: readonly Mismatch[] }[], of: number): Mismatch[] {
  const groups = new Map<string, { readonly mismatch: Mismatch; count: number }>();
  for (const mismatch of wrong.flatMap(({ left }) => left)) {
    const key = JSON.stringify([mismatch.field, mismatch.observed]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { mismatch, count: 1 });
    else known.count += 1;
  }
  return [...groups.values()].map(({ mismatch, count }) => ({
    ...mismatch,
    observed: `${mismatch.observed} (${count} of ${plural(of, 'death')})`,
  }));
}

/** The share of each end. */
function countEnds(all: readonly JudgedTry[]): Pick<Tried, 'judged' | 'method' | ShareField> {
  const sharesOf = (field: ShareField): SeenShare[] => {
    const counts = new Map<string, number>();
    for (const one of all) {
      const value = valueOf(one, field);
      if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts]
      .map(([value, count]) => ({ value, count, ...wilsonInterval(count, all.length) }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  };
  return {
    judged: all.length,
    killer: sharesOf('killer'),
    reason: sharesOf('reason'),
    exitCode: sharesOf('exitCode'),
    method: 'wilson-95',
  };
}
