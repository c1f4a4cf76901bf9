import { resolve } from 'node:path';
import { readJson, writeTextAtomic } from '../../drivers/files/files.ts';
import { judgeRepro } from '../../judge/compare/judge-repro.ts';
import type { CheckedProof } from '../../model/saved/checked.ts';
import { effectiveSchema } from '../../model/saved/effective.ts';
import { InternalError, UsageError } from '../../model/errors/errors.ts';
import type { ExitReason } from '../../model/errors/exit-status.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { ProveResult } from '../../model/saved/prove.ts';
import type { ReproOutcome } from '../../model/saved/repro.ts';
import type { AskedBug } from '../../model/saved/replay.ts';
import { shellWord } from '../../model/text/shell.ts';
import { askBug, hasOverrides, type BugQuestion } from '../../plan/cells/ask-bug.ts';
import { findBug } from '../../plan/bugs/find-bug.ts';
import { refuseBroken } from '../../plan/config/broken.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { findBrokenBug } from '../../plan/select/choose-broken.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import { renderRepro } from '../../report/terminal/render-repro.ts';
import { renderProveMarkdown } from '../../report/markdown/render-prove-markdown.ts';
import { renderReproMarkdown } from '../../report/markdown/render-repro-markdown.ts';
import type { ReproCase, ReproCell } from '../../report/words/repro-case.ts';
import { nameVersions } from '../../report/words/runc-words.ts';
import { skippedResult, unseenResult } from '../../world/run/unseen-cell.ts';
import { loadQuietly, planWords } from '../setup/config.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { explainNameless } from '../proving/find-verdict.ts';
import { proveCell } from '../proving/prove.ts';
import { checkAnswer } from '../saved/check-answer.ts';
import { readReplay } from '../saved/read-replay.ts';
import type { SavedRun } from '../saved/find-run.ts';
import { answerPlan, answerRun } from '../running/answer-run.ts';
import { spellLine } from '../context/spell-line.ts';
import { spellPath } from '../context/spell-path.ts';
import { refuseUnknownBug } from './refuse-unknown-bug.ts';

/**
 * `whodunit repro <bug, issue URL or replay.yaml>`: runs the scenario of a bug on its affected and its fixed variant and
 * on its controls, and shows the verdicts side by side. A file of `whodunit export` is run again as it was.
 */
export const runRepro: RunVerb = async (context, words, flags) => {
  const [word = ''] = words;
  const config = loadQuietly(context);
  if (!isReplay(word)) {
    const broken = findBrokenBug(config, word);
    if (broken !== undefined) throw refuseBroken([broken]);
    const bug = findBug(config.bugs, word) ?? refuseUnknownBug(context, config, word);
    const question = askBug(config, bug, flags);
    const plan = planWords(context, config, question.addresses, {}, { asked: question.cells });
    return answerBug(context, config, question, plan, flags);
  }
  const given = (['affected', 'fixed', 'repeat'] as const).filter((name) => flags[name] !== undefined);
  if (given.length > 0)
    throw new UsageError(
      `a replay has its own values, so it cannot be combined with --${given.join(' or --')}`,
      {
        tryNext: `npx whodunit repro ${word}`,
      },
    );
  const { plan, question } = await readReplay(context, config, resolve(word));
  if (question !== undefined) return answerBug(context, config, question, plan, flags);
  if (flags.dryRun === true) return answerPlan(plan, spellLine('repro', [word], flags));
  const { runPlan } = await import('../running/run-plan.ts');
  return answerRun(context, await runPlan(context, { config, plan, flags }));
};

/** Whether a word is a file of `whodunit export`, there or not: no bug has such a name. */
function isReplay(word: string): boolean {
  return /\.ya?ml$/.test(word);
}

/** Runs the cells of a question about a bug, and compares its two sides. */
async function answerBug(
  context: Context,
  config: Config,
  question: BugQuestion,
  plan: Plan,
  flags: Flags,
): Promise<VerbAnswer> {
  if (flags.json === true && flags.markdown === true)
    throw new UsageError('--json and --markdown cannot be combined', { tryNext: 'use one of them' });
  if (flags.dryRun === true) return answerPlan(plan, spellLine('repro', [question.bug.id], flags));
  // Nothing can be compared without both sides: a refused cell is reported, and nothing is started.
  const refused = plan.skipped.length > 0;
  const asked = { asked: describeQuestion(question) };
  // The code that boots machines is loaded only when some are booted.
  const { runPlan } = await import('../running/run-plan.ts');
  const ran = refused ? undefined : await runPlan(context, { config, plan, flags, asked });
  const cells = ran?.result.cells ?? [
    ...plan.skipped.map(skippedResult),
    ...plan.cells.map((cell) =>
      unseenResult('', cell, 'inconclusive', 'not started: another cell is refused'),
    ),
  ];
  const repro = toReproCase(question, cells, ran);
  const proved = await proveAffected(context, repro, ran, flags);
  const markdown = [renderReproMarkdown(repro), ...(proved === undefined ? [] : [proved.markdown])].join(
    '\n\n',
  );
  if (ran !== undefined) writeTextAtomic(ran.paths.repro, `${markdown}\n`);
  const lines = [renderRepro(repro), '', markdown, '', ...describeRun(ran), ...offerProof(repro, flags)];
  return {
    status: context.signal.aborted ? 'interrupted' : STATUS[repro.outcome],
    json: { ...toReproResult(repro, markdown), ...(proved === undefined ? {} : { proof: proved.result }) },
    text: () => (flags.markdown === true ? markdown : lines.join('\n').trimEnd()),
  };
}

/** With `--prove`, tests the verdict of the affected side by experiment; undefined when it names no killer. */
async function proveAffected(
  context: Context,
  repro: ReproCase,
  ran: SavedRun | undefined,
  flags: Flags,
): Promise<{ readonly result: ProveResult; readonly markdown: string } | undefined> {
  const cell = repro.cells[0]?.cell;
  if (flags.prove !== true || ran === undefined || cell === undefined || context.signal.aborted)
    return undefined;
  const why = explainNameless(cell);
  if (why !== undefined) {
    context.progress.note(`${cell.address} names no killer to take away: ${why}`);
    return undefined;
  }
  const { result } = await proveCell(context, { run: ran, cell }, flags);
  return { result, markdown: renderProveMarkdown(result).trimEnd() };
}

/** Returns the command that tests the verdict by experiment, if this call did not. */
function offerProof({ cells, run }: ReproCase, flags: Flags): string[] {
  const cell = cells[0]?.cell;
  if (flags.prove === true || run === undefined || cell === undefined || explainNameless(cell) !== undefined)
    return [];
  return [`prove     npx whodunit prove ${shellWord(cell.address)} --run ${run.run}`];
}

function describeQuestion({ bug, digest, overrides, repeat, addresses }: BugQuestion): AskedBug {
  const { affected, fixed } = bug;
  return { bug: bug.id, digest, affected, fixed, overrides, repeat, addresses: [...addresses] };
}

const STATUS: Readonly<Record<ReproOutcome, ExitReason>> = {
  reproduced: 'passed',
  'not-reproduced': 'failed',
  inconclusive: 'inconclusive',
};

function toReproCase(
  { bug, addresses, overrides, repeat }: BugQuestion,
  results: readonly CellResult[],
  ran: SavedRun | undefined,
): ReproCase {
  // Affected, fixed, controls: the order in which they are shown.
  const cells = addresses.map((address, index): ReproCell => {
    const cell = results.find((result) => result.address === address);
    if (cell === undefined) throw new InternalError(`the run has no result for ${address}`);
    const facts = ran === undefined ? {} : readFacts(ran, cell);
    const checked = ran === undefined ? undefined : checkEvidence(ran, cell);
    return { role: (['affected', 'fixed'] as const)[index] ?? 'control', cell, facts, checked };
  });
  const [affected, fixed, ...controls] = cells.map(({ cell }) => cell);
  if (affected === undefined || fixed === undefined) throw new InternalError(`${bug.id} has no two variants`);
  const judged = judgeRepro(affected, fixed, controls, bug.compare);
  return { bug, overrides, repeat, ...judged, cells, run: ran?.result };
}

/**
 * Returns what was read back from the world of a cell, by name: versions, and how cgroups are handled. Empty when it was not
 * saved. For a repeated cell it is that of the run which is shown.
 */
function readFacts({ paths }: SavedRun, { evidence }: CellResult): Record<string, string> {
  const saved = effectiveSchema.safeParse(readJson(paths.inRun(evidence).effective));
  if (!saved.success) return {};
  const { versions, nodes, healed } = saved.data;
  const [node] = nodes;
  return {
    ...nameVersions(versions),
    ...(node === undefined ? {} : { cgroup: node.cgroup, 'kubelet cgroup driver': node.kubelet.driver }),
    ...Object.fromEntries(
      Object.entries(node?.handlers ?? {}).flatMap(([name, { SystemdCgroup }]) =>
        SystemdCgroup === undefined ? [] : [[`SystemdCgroup of ${name}`, SystemdCgroup]],
      ),
    ),
    ...(healed === undefined ? {} : { healed }),
  };
}

/** Checks the proof of a cell; undefined when it has no evidence. */
function checkEvidence({ paths }: SavedRun, { evidence, attribution }: CellResult): CheckedProof | undefined {
  return evidence === '' ? undefined : checkAnswer(paths.inRun(evidence).dir, attribution);
}

function toReproResult(repro: ReproCase, markdown: string): object {
  const [affected, fixed, ...controls] = repro.cells.map(({ cell }) => cell);
  return {
    formatVersion: FORMAT_VERSION,
    bug: repro.bug.id,
    outcome: repro.outcome,
    note: repro.note,
    run: repro.run?.run,
    ...(hasOverrides(repro.overrides) ? { overrides: repro.overrides } : {}),
    ...(repro.repeat === 1 ? {} : { repeats: repro.repeat }),
    affected,
    fixed,
    ...(repro.compared.length === 0 ? {} : { compared: repro.compared }),
    controls,
    markdown,
  };
}

function describeRun(ran: SavedRun | undefined): string[] {
  if (ran === undefined) return [];
  return [`markdown  ${spellPath(ran.paths.repro)}`];
}
