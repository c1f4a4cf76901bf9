import { z } from 'zod';
import { valueOf } from '../../lab/model/axes/axes.ts';
import { describeCause } from '../../lab/model/saved/describe-outcome.ts';
import type { CellResult } from '../../lab/model/saved/formats.ts';
import { KILLERS, type Killer } from '../../lab/model/killers/killers.ts';
import { isUnstarted } from '../../lab/report/words/cell-words.ts';

/** A cause of death that a cell staged, and the causes that were named: one, and of a repeated cell one of each run. */
export const stagingSchema = z.strictObject({
  killer: z.enum(KILLERS),
  /** The staged cause in words: killer, level, way and victim as far as the scenario names them. */
  cause: z.string(),
  cgroup: z.enum(['v1', 'v2']),
  /** The named causes, in the same words. `open`: no verdict, because evidence did not suffice or machines were disturbed. */
  named: z.array(z.strictObject({ as: z.string(), outcome: z.enum(['right', 'wrong', 'open']) })),
  /** Why the cell failed or has no verdict. */
  why: z.string().optional(),
});

export type Staging = z.infer<typeof stagingSchema>;
export type StagingOutcome = Staging['named'][number]['outcome'];

/** What a scenario declares of its cause. `expected` of a result is a record that other programs read. */
interface Declared {
  readonly killer: Killer;
  readonly level?: readonly string[];
  readonly how?: readonly string[];
  readonly victim?: string;
  readonly exceedsLimit?: true;
  readonly neverStarts?: readonly string[];
  /** Other ends that the scenario accepts. */
  readonly or?: readonly { readonly killer: Killer; readonly how: readonly string[] }[];
}

/** Compares what a cell staged with what the judge named. Undefined for a skipped cell, which staged nothing. */
export function stagingOf(cell: CellResult): Staging | undefined {
  if (cell.verdict === 'skipped') return undefined;
  const declared = cell.expected as unknown as Declared;
  const named = namedOf(cell, declared);
  const isTold = cell.verdict === 'failed' || named.some(({ outcome }) => outcome !== 'right');
  return {
    killer: declared.killer,
    cause: describeCause(declared),
    cgroup: valueOf(cell.variant, 'cgroup'),
    named,
    ...(isTold ? { why: whyOf(cell) } : {}),
  };
}

function namedOf(cell: CellResult, declared: Declared): Staging['named'] {
  const { attempts, attribution, verdict } = cell;
  // Nobody ends what has not started: such a cell names no killer.
  if (isUnstarted(cell)) return [{ as: describeCause(declared), outcome: 'right' }];
  if (attempts === undefined)
    return [{ as: describeNamed(cell, declared), outcome: outcomeOf(verdict, fits(attribution, declared)) }];
  // The result keeps only the killer of each run of a repeated cell.
  return attempts.map((attempt) => ({
    as: attempt.killer,
    outcome: outcomeOf(
      attempt.verdict,
      [declared, ...(declared.or ?? [])].some((cause) => cause.killer === attempt.killer),
    ),
  }));
}

function whyOf({ note, mismatches }: CellResult): string {
  const differences = mismatches.map(
    ({ field, expected, observed }) => `${field}: expected ${expected}, observed ${observed}`,
  );
  return [...(note === undefined ? [] : [note]), ...differences].join('; ') || '-';
}

function outcomeOf(verdict: CellResult['verdict'], isRight: boolean): StagingOutcome {
  if (verdict === 'inconclusive' || verdict === 'interrupted') return 'open';
  return isRight ? 'right' : 'wrong';
}

/** Whether the killer and everything declared with it fit, or one of the other ends does. */
function fits(attribution: CellResult['attribution'], declared: Declared): boolean {
  return [declared, ...(declared.or ?? [])].some((cause) => fitsOne(attribution, cause));
}

function fitsOne({ killer, level, how, process }: CellResult['attribution'], declared: Declared): boolean {
  const accepts = (accepted: readonly string[] | undefined, value: string | undefined): boolean =>
    accepted === undefined || (value !== undefined && accepted.includes(value));
  return (
    killer === declared.killer &&
    accepts(declared.level, level) &&
    accepts(declared.how, how) &&
    (declared.victim === undefined || declared.victim === process)
  );
}

/** Compares only what the scenario names: a level that it does not name makes no difference. */
function describeNamed({ attribution, verdict }: CellResult, declared: Declared): string {
  const { killer, level, how, process, confidence } = attribution;
  const cause = {
    killer,
    level: declared.level === undefined || level === undefined ? undefined : [level],
    how: declared.how === undefined || how === undefined ? undefined : [how],
    victim: declared.victim === undefined ? undefined : process,
  };
  return describeCause(cause, [
    ...(confidence === 'likely' ? ['likely'] : []),
    ...(outcomeOf(verdict, true) === 'open' && killer !== 'unknown' ? [verdict] : []),
  ]);
}
