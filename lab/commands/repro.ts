import { readJson, writeTextAtomic } from '../drivers/files.ts';
import { judgeRepro } from '../judge/judge-repro.ts';
import type { Bug } from '../model/bug.ts';
import { effectiveSchema } from '../model/effective.ts';
import { InternalError } from '../model/errors.ts';
import { FORMAT_VERSION } from '../model/format-version.ts';
import type { CellResult, RunResult } from '../model/formats.ts';
import type { ReproOutcome } from '../model/repro.ts';
import { runPaths } from '../model/paths.ts';
import { addressesOfBug } from '../plan/bug-cells.ts';
import { getBug } from '../plan/find-bug.ts';
import { toListResult } from '../plan/plan-cells.ts';
import { renderList } from '../report/render-list.ts';
import { renderRepro } from '../report/render-repro.ts';
import { renderReproMarkdown } from '../report/render-repro-markdown.ts';
import type { ReproCase, ReproCell } from '../report/repro-case.ts';
import { skippedResult, unseenResult } from '../world/run/unseen-cell.ts';
import { loadConfig, loadPlan } from './config.ts';
import type { Context } from './context.ts';
import type { Flags } from './flags.ts';
import { runPlan } from './run.ts';
import { spellPath } from './spell-path.ts';

/**
 * `lab repro <bug or issue URL>`: runs the scenario of a bug on its affected and its fixed variant and on its
 * controls, and shows the verdicts side by side. Exit code: 0 reproduced, 1 not reproduced, 3 inconclusive.
 */
export async function runRepro(context: Context, words: readonly string[], flags: Flags): Promise<number> {
  const [word = ''] = words;
  const { bugs, scenarios } = loadConfig(context);
  const bug = getBug(bugs, word);
  // Affected, fixed, controls: the order in which they are shown.
  const addresses = addressesOfBug(bug, scenarios);
  const { config, plan } = loadPlan(context, addresses, {});
  if (flags.dryRun === true) {
    const list = toListResult(plan);
    if (flags.json === true) context.printJson(list);
    else context.print(renderList(list));
    return 0;
  }
  // Nothing can be compared without both sides: a refused cell is reported, and nothing is started.
  const refused = plan.skipped.length > 0;
  const ran = refused ? undefined : await runPlan(context, config, plan, flags);
  const cells = ran?.result.cells ?? [
    ...plan.skipped.map(skippedResult),
    ...plan.cells.map((cell) =>
      unseenResult('', cell, 'inconclusive', 'not started: another cell is refused'),
    ),
  ];
  const repro = toReproCase(bug, addresses, cells, ran);
  const markdown = renderReproMarkdown(repro);
  if (ran !== undefined) writeTextAtomic(runPaths(ran.dir).repro, `${markdown}\n`);
  if (flags.json === true) context.printJson(toReproResult(repro, markdown));
  else context.print([renderRepro(repro), '', markdown, '', ...describeRun(ran)].join('\n').trimEnd());
  return context.signal.aborted ? 130 : EXIT[repro.outcome];
}

const EXIT: Readonly<Record<ReproOutcome, number>> = { reproduced: 0, 'not-reproduced': 1, inconclusive: 3 };

function toReproCase(
  bug: Bug,
  addresses: readonly string[],
  results: readonly CellResult[],
  ran: { dir: string; result: RunResult } | undefined,
): ReproCase {
  const cells = addresses.map((address, index): ReproCell => {
    const cell = results.find((each) => each.address === address);
    if (cell === undefined) throw new InternalError(`the run has no result for ${address}`);
    const facts = ran === undefined ? {} : readFacts(ran.dir, address);
    return { role: (['affected', 'fixed'] as const)[index] ?? 'control', cell, facts };
  });
  const [affected, fixed, ...controls] = cells.map(({ cell }) => cell);
  if (affected === undefined || fixed === undefined) throw new InternalError(`${bug.id} has no two variants`);
  return { bug, ...judgeRepro(affected, fixed, controls, bug.compare), cells, run: ran?.result };
}

/** What was read back from the world of a cell: versions, and how cgroups are handled. Empty when it was not saved. */
function readFacts(dir: string, address: string): Record<string, string> {
  const saved = effectiveSchema.safeParse(readJson(runPaths(dir).cell(address).effective));
  if (!saved.success) return {};
  const { versions, nodes, healed } = saved.data;
  const [node] = nodes;
  return {
    ...versions,
    ...(node === undefined ? {} : { cgroup: node.cgroup, 'kubelet cgroup driver': node.kubelet.driver }),
    ...Object.fromEntries(
      Object.entries(node?.handlers ?? {}).flatMap(([name, { SystemdCgroup }]) =>
        SystemdCgroup === undefined ? [] : [[`SystemdCgroup of ${name}`, SystemdCgroup]],
      ),
    ),
    ...(healed === undefined ? {} : { healed }),
  };
}

function toReproResult(repro: ReproCase, markdown: string): object {
  const [affected, fixed, ...controls] = repro.cells.map(({ cell }) => cell);
  return {
    formatVersion: FORMAT_VERSION,
    bug: repro.bug.id,
    outcome: repro.outcome,
    note: repro.note,
    ...(repro.run === undefined ? {} : { run: repro.run.run }),
    affected,
    fixed,
    ...(repro.compared.length === 0 ? {} : { compared: repro.compared }),
    controls,
    markdown,
  };
}

function describeRun(ran: { dir: string } | undefined): string[] {
  if (ran === undefined) return [];
  return [`markdown  ${spellPath(runPaths(ran.dir).repro)}`];
}
