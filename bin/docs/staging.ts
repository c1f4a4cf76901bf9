import { describeCause } from '../../lab/model/saved/describe-outcome.ts';
import type { CellResult } from '../../lab/model/saved/formats.ts';
import type { Killer } from '../../lab/model/killers/killers.ts';
import type { RecordedCell } from '../../lab/report/words/recorded-run.ts';

/** One cause of death that was staged, and the cause that was named. A repeated cell stages it several times. */
export interface Staging {
  readonly cell: CellResult;
  /** The staged cause in words: killer, level, way and victim as far as the scenario names them. */
  readonly staged: string;
  readonly killer: Killer;
  /** The ways that the scenario accepts; none when it names none. */
  readonly hows: readonly string[];
  /** The named cause, in the same words. */
  readonly named: string;
  readonly outcome: 'right' | 'wrong' | 'open';
}

/** What a scenario declares of its cause. `expected` of a result is a record that other programs read. */
interface Declared {
  readonly killer: Killer;
  readonly level?: readonly string[];
  readonly how?: readonly string[];
  readonly victim?: string;
  readonly exceedsLimit?: true;
  /** Other ends that the scenario accepts. */
  readonly or?: readonly { readonly killer: Killer; readonly how: readonly string[] }[];
}

/**
 * Compares what each cell staged with what the judge named. `open`: no verdict, because the evidence did not suffice or
 * the machines were disturbed. Skipped cells staged nothing and are left out.
 */
export function listStagings(cells: readonly RecordedCell[]): Staging[] {
  return cells.filter(({ cell }) => cell.verdict !== 'skipped').flatMap(({ cell }) => stagingsOf(cell));
}

function stagingsOf(cell: CellResult): Staging[] {
  const declared = cell.expected as unknown as Declared;
  const base = {
    cell,
    staged: describeCause(declared),
    killer: declared.killer,
    hows: declared.how ?? [],
  };
  if (cell.attempts === undefined) {
    const { attribution, verdict } = cell;
    const named = describeNamed(cell, declared);
    return [{ ...base, named, outcome: outcomeOf(verdict, fits(attribution, declared)) }];
  }
  // The result keeps only the killer of each run of a repeated cell.
  return cell.attempts.map(({ killer, verdict }) => ({
    ...base,
    named: killer,
    outcome: outcomeOf(
      verdict,
      [declared, ...(declared.or ?? [])].some((cause) => cause.killer === killer),
    ),
  }));
}

function outcomeOf(verdict: CellResult['verdict'], isRight: boolean): Staging['outcome'] {
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
