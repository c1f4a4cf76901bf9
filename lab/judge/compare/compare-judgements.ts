import type { Change } from '../../model/saved/again.ts';
import type { Attribution } from '../../model/saved/formats.ts';
import type { BugResult } from '../../model/declared/ledger.ts';
import { SHARE_FIELDS, SHARE_WORDS, type ShareField, type Tried } from '../../model/declared/tries.ts';
import type { BoundResult, MeasureResult } from '../../model/measures/measure.ts';
import type { Judgement } from '../verdict/judge-cell.ts';

/** The compared parts of a judgement. The wording of proofs may change without a change of the answer. */
interface Compared {
  readonly verdict: string;
  readonly attribution: Attribution;
  readonly claims: Judgement['claims'];
  readonly measures?: readonly MeasureResult[] | undefined;
  readonly tried?: Tried | undefined;
  readonly bug?: BugResult | undefined;
}

/**
 * Whether a difference makes a flip: the cell has another verdict, or another killer. Whatever else differs (how sure the
 * verdict is, what a layer said) leaves the answer as it was.
 */
export function isFlip({ field }: Pick<Change, 'field'>): boolean {
  return field === 'verdict' || field === 'killer';
}

/** Lists where today's judgement differs from the saved one. Empty: nowhere. */
export function compareJudgements(before: Compared, now: Compared): Change[] {
  const changes: Change[] = [];
  const add = (field: string, was: string | undefined, is: string | undefined): void => {
    if (was !== is) changes.push({ field, before: was ?? 'none', now: is ?? 'none' });
  };
  add('verdict', before.verdict, now.verdict);
  for (const field of ['killer', 'level', 'how', 'process', 'confidence', 'victim'] as const) {
    add(field, before.attribution[field], now.attribution[field]);
  }
  add('bug', before.bug?.state, now.bug?.state);
  add('proof', describeProof(before.attribution), describeProof(now.attribution));
  for (const { measure, bounds } of now.measures ?? []) {
    const was = before.measures?.find((measured) => measured.measure === measure);
    add(`measure ${measure}`, was && describeBounds(was.bounds), describeBounds(bounds));
  }
  for (const field of SHARE_FIELDS)
    add(
      `shares of the ${SHARE_WORDS[field]}`,
      describeShares(before.tried, field),
      describeShares(now.tried, field),
    );
  for (const claim of now.claims) {
    const was = before.claims.find((said) => said.layer === claim.layer);
    add(`claim of ${claim.layer}`, was && describeClaim(was), describeClaim(claim));
  }
  return changes;
}

function describeProof({ because }: Attribution): string {
  return because.map((ref) => `${ref.file}:${ref.line ?? ''}`).join(' ');
}

function describeClaim({ says, agrees }: Judgement['claims'][number]): string {
  return `${says} (${agrees === null ? 'no word' : agrees ? 'right' : 'wrong'})`;
}

/** `memcg-oom 18, self-exit 2`; undefined of a cell with one death. */
function describeShares(tried: Tried | undefined, field: ShareField): string | undefined {
  return tried?.[field].map(({ value, count }) => `${value} ${count}`).join(', ');
}

function describeBounds(bounds: readonly BoundResult[]): string {
  const said = bounds.map(
    ({ statistic, value, holds }) =>
      `${statistic} ${value ?? 'unknown'} (${holds === null ? 'open' : holds ? 'holds' : 'does not hold'})`,
  );
  return said.length === 0 ? 'nothing expected' : said.join(', ');
}
