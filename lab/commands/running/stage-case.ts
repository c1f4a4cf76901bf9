import { overridesOf } from '../../case/candidates/rank-candidates.ts';
import { traitsOfScenario } from '../../case/facts/traits.ts';
import {
  concludeCase,
  type AnsweredQuestion,
  type ReportedDeath,
  type StagedCell,
} from '../../case/outcome/conclude-case.ts';
import { pathExists } from '../../drivers/files/files.ts';
import { judgeRepro } from '../../judge/compare/judge-repro.ts';
import { parseVariant } from '../../plan/variants/parse-variant.ts';
import { LabError } from '../../model/errors/errors.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { Case, CaseCandidate, PlannedCandidate, TriedCandidate } from '../../model/saved/case.ts';
import { listReportedBugs } from '../../plan/bugs/find-bug.ts';
import { askBug, type BugQuestion } from '../../plan/cells/ask-bug.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { describeTriedCandidate } from '../../report/words/describe-candidate.ts';
import { judgeFolder } from '../../world/cell/judge-folder.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import type { SavedRun } from '../saved/find-run.ts';
import { getCellRecord } from '../saved/read-cell-record.ts';
import { planWords } from '../setup/config.ts';
import { runPlan } from './run-plan.ts';

/** A candidate of a bug report, with the plan that stages it. */
export interface StagedPlan {
  readonly planned: PlannedCandidate;
  /** Undefined when the candidate cannot be run. */
  readonly plan: Plan | undefined;
  /** Of a bug: what its own bounds ask of these cells. */
  readonly question?: BugQuestion;
}

/** A report as `stageCase` needs it. */
export interface StagedReport extends ReportedDeath {
  /** Its own link, where it says which it is. */
  readonly own?: string | undefined;
}

/** Scenarios to compare a candidate with: nobody dies in the first, and a program ends by itself in the second. */
const NEIGHBOURS = ['within-limits', 'plain-exit'];

/** Plans every candidate of a report on its nearest variant, cheapest first. What cannot be run comes last. */
export function planCase(
  context: Context,
  config: Config,
  { candidates, variant, facts }: Case,
): StagedPlan[] {
  if (variant === undefined) return [];
  const plans = candidates.map((candidate) =>
    planCandidate(context, config, candidate, { ...variant, facts }),
  );
  const cost = ({ planned }: StagedPlan): number => planned.estimateSeconds ?? Infinity;
  return plans.toSorted((one, other) => cost(one) - cost(other));
}

function planCandidate(
  context: Context,
  config: Config,
  { kind, name }: CaseCandidate,
  { name: variant, words: given, facts }: NonNullable<Case['variant']> & Pick<Case, 'facts'>,
): StagedPlan {
  const refuse = (addresses: string[], refused: string): StagedPlan => ({
    planned: { candidate: name, addresses, refused },
    plan: undefined,
  });
  const bug = config.bugs.find(({ id }) => kind !== 'scenario' && id === name);
  const isWritten = config.scenarios.some(({ scenario }) => scenario.name === name);
  if (kind === 'made' && !isWritten) return refuse([], 'it is not written yet: add --write');
  const neighbour = NEIGHBOURS.find((scenario) => scenario !== name) ?? '';
  let addresses = [`${variant}/${name}`, `${variant}/${neighbour}`];
  try {
    const { affected, fixed } = overridesOf(bug, parseVariant(config.matrix, given), facts);
    const question =
      bug === undefined ? undefined : askBug(config, bug, kind === 'made' ? {} : { affected, fixed });
    addresses = [...(question?.addresses ?? addresses)];
    const plan = planWords(
      context,
      config,
      addresses,
      {},
      question === undefined ? {} : { asked: question.cells },
    );
    const [skipped] = plan.skipped;
    if (skipped !== undefined)
      return refuse(addresses, `${skipped.address}: ${skipped.reason} (rule ${skipped.rule})`);
    const planned = { candidate: name, addresses, estimateSeconds: plan.estimateSeconds };
    return { planned, plan, ...(question === undefined ? {} : { question }) };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    return refuse(addresses, error.message);
  }
}

/**
 * Stages candidates, cheapest first, until one shows every trace of the report. After an interrupt, those that were
 * staged before it are returned.
 */
export async function stageCase(
  context: Context,
  config: Config,
  flags: Flags,
  reported: StagedReport,
  plans: readonly StagedPlan[],
): Promise<TriedCandidate[]> {
  const tried: TriedCandidate[] = [];
  for (const { planned, plan, question } of plans) {
    if (plan === undefined) continue;
    const run = await runPlan(context, { config, plan, flags });
    if (context.signal.aborted) break;
    const cells = planned.addresses.map((address) => readStaged(run, plan, planned.candidate, address));
    const [affected, neighbour] = cells;
    if (affected === undefined) continue;
    const answered = question === undefined ? undefined : answerQuestion(run, question, config, reported.own);
    const concluded = concludeCase(reported, affected, neighbour, answered);
    tried.push(concluded);
    if (concluded.outcome === 'reproduced') break;
    context.progress.note(describeTriedCandidate(concluded));
  }
  return tried;
}

/** Judges the cells of a bug as `repro` does; undefined when one of its sides has no result. */
function answerQuestion(
  { result: { cells } }: SavedRun,
  { bug, addresses }: BugQuestion,
  config: Config,
  own: string | undefined,
): AnsweredQuestion | undefined {
  const [affected, fixed, ...controls] = addresses.map((address) =>
    cells.find((saved) => saved.address === address),
  );
  if (affected === undefined || fixed === undefined) return undefined;
  const seen = controls.flatMap((control) => control ?? []);
  if (seen.length < controls.length) return undefined;
  const { outcome, note } = judgeRepro(affected, fixed, seen, bug.compare);
  const isOwn = own !== undefined && listReportedBugs(config.bugs, own).some(({ id }) => id === bug.id);
  return { outcome, note, isOwn };
}

function readStaged(
  { paths, result }: SavedRun,
  plan: Plan,
  candidate: string,
  address: string,
): StagedCell | undefined {
  const cell: CellResult | undefined = result.cells.find((saved) => saved.address === address);
  const planned = plan.cells.find((known) => known.address === address);
  if (cell === undefined || planned === undefined) return undefined;
  const { dir, record } = paths.inRun(cell.evidence);
  // Of a cell whose world did not come up nothing was saved.
  const observations = pathExists(record) ? judgeFolder(dir, getCellRecord(dir)).observations : [];
  const { runtime, drivers } = planned.variant;
  const traits = traitsOfScenario(planned.loaded, { runtime, drivers });
  return { candidate, result: cell, observations, traits };
}
