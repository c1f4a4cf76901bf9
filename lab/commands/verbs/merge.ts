import { UsageError } from '../../model/errors/errors.ts';
import type { ExitStatus } from '../../model/errors/exit-status.ts';
import { renderSummary } from '../../report/terminal/render-summary.ts';
import { plural } from '../../model/text/plural.ts';
import { renderMerge } from '../../report/terminal/render-merge.ts';
import { parseEvidenceRule } from '../../plan/shards/evidence-rule.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { spellPath } from '../context/spell-path.ts';
import { reportRun } from '../../report/markdown/render-github.ts';
import { reportToGithub } from '../output/report-to-github.ts';
import { writeReport } from '../output/write-report.ts';
import { statusOfRun } from '../running/answer-run.ts';
import { readRunFolder } from '../saved/find-run.ts';
import { findParts } from '../sharding/find-parts.ts';
import { mergeParts, type Merged } from '../sharding/merge-parts.ts';
import { readShardPlan, spellShard } from '../sharding/read-plan.ts';
import type { RunResult } from '../../model/saved/formats.ts';
import type { MergeResult } from '../../model/saved/merged.ts';
import { statePaths } from '../../model/host/paths.ts';

/** The most cells of a page: browsers do not open a larger one. */
const MAX_REPORTED = 20_000;

/** `whodunit merge <run…> --plan <file>`: merges the results of shards into an ordinary run. */
export const runMerge: RunVerb = async (context, words, flags) => {
  if (flags.plan === undefined)
    throw new UsageError('merge needs the plan, to know which cells must come back', {
      tryNext: `npx whodunit merge ${words.join(' ')} --plan plan.json`,
    });
  const { plan: file } = flags;
  const plan = readShardPlan(file);
  const keep = parseEvidenceRule(flags.keepEvidence ?? 'all');
  const parts = findParts(context, words, plan);
  const merged = mergeParts(context, { plan, parts, keep });
  const again = merged.lacking.map(({ shard }) => spellShard(file, shard));
  const { run, totals, lacking } = merged;
  const paths = statePaths(context.stateDir).run(run);
  const reported = reportMerged(context, merged);
  const result: MergeResult = {
    formatVersion: plan.formatVersion,
    run,
    folder: spellPath(merged.dir),
    plan: plan.plan,
    totals,
    parts: merged.parts.length,
    lacking: lacking.map(({ shard, of, missing }, index) => ({
      shard,
      returned: of - missing.length,
      of,
      missing: [...missing],
      again: again[index] ?? '',
    })),
    disagreeing: [...merged.disagreeing],
  };
  return {
    status: statusOfMerge(merged),
    json: result,
    page: () =>
      [
        ...(reported === undefined ? [] : [`${renderSummary(reported)}\n`]),
        renderMerge({ ...merged, again }),
        `folder: ${spellPath(merged.dir)}`,
        ...(reported === undefined ? [] : [`report: ${spellPath(paths.html)}`]),
      ].join('\n'),
    ...(reported === undefined
      ? {}
      : { afterwards: () => reportToGithub(context, () => reportRun(reported)) }),
  };
};

/** Returns the status, which is never `passed` while a cell is missing. */
function statusOfMerge({ lacking, totals }: Pick<Merged, 'lacking' | 'totals'>): ExitStatus {
  return lacking.length > 0 ? 'inconclusive' : statusOfRun({ totals }, false);
}

/** Writes the page and the JUnit file, unless there are too many cells; returns the run if it did. */
function reportMerged(context: Context, { dir, cells }: Merged): RunResult | undefined {
  if (cells > MAX_REPORTED) {
    context.progress.note(
      `no page and no JUnit file are written for ${plural(cells, 'cell')}: the most is ${MAX_REPORTED}`,
    );
    return undefined;
  }
  const run = readRunFolder(dir);
  writeReport(context, run);
  return run.result;
}
