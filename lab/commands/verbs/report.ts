import { pathExists } from '../../drivers/files/files.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { plainJson } from '../../model/text/plain-text.ts';
import { formatHint } from '../../model/text/nearest.ts';
import type { RecordedDeath } from '../../report/words/recorded-death.ts';
import { renderDeaths, type UnrunCell } from '../../report/markdown/render-deaths.ts';
import { REPORT_FORMATS } from '../../model/saved/report-formats.ts';
import { renderJunit } from '../../report/formats/render-junit.ts';
import { renderMarkdown } from '../../report/markdown/render-markdown.ts';
import { renderInvestigated } from '../../report/terminal/render-investigation.ts';
import { renderSummary } from '../../report/terminal/render-summary.ts';
import { joinLines } from '../../report/text/text-table.ts';
import { loadConfig } from '../setup/config.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { getRun, type SavedRun } from '../saved/find-run.ts';
import { readDeath } from '../saved/read-death.ts';
import { spellPath } from '../context/spell-path.ts';
import { findReportedSearch, reportSearch } from '../searching/report-search.ts';
import { renderReport, writeReport } from '../output/write-report.ts';

/** The renderers of `--format`. */
const FORMATS: Readonly<
  Record<(typeof REPORT_FORMATS)[number], (run: SavedRun, context: Context) => string>
> = {
  markdown: ({ result }) => renderMarkdown(result),
  junit: ({ result }) => renderJunit(result),
  html: (run, context) => renderReport(context, run).text,
  json: ({ result }) => plainJson(JSON.stringify(result, null, 2)),
};

/**
 * `whodunit report [run]`: prints the summary of a saved run (default: the newest), and writes its HTML and JUnit files
 * again. With `--format` it prints one of the formats; with `--table` what each layer called the ends, as Markdown. For
 * the id of a search it prints the result of the search.
 */
export const runReport: RunVerb = async (context, words, flags) => {
  const format = flags.json === true ? 'json' : flags.format;
  const render = REPORT_FORMATS.filter((name) => name === format).map((name) => FORMATS[name])[0];
  if (format !== undefined && render === undefined) {
    throw new UsageError(`there is no format "${format}"${formatHint(format, REPORT_FORMATS)}`, {
      tryNext: 'npx whodunit help report',
    });
  }
  if (words[0] !== undefined && Object.hasOwn(FORMATS, words[0]))
    throw new UsageError(`"${words[0]}" is a format, not a run`, {
      tryNext: `npx whodunit report --format ${words[0]}`,
    });
  const search = findReportedSearch(context, words[0]);
  if (search !== undefined) return reportSearch(context, search, flags);
  const run = getRun(context, words[0]);
  const { paths, result } = run;
  if (flags.table === true) return { status: 'passed', text: () => renderTable(context, run) };
  if (render !== undefined) return { status: 'passed', text: () => render(run, context).trimEnd() };
  const doubts = writeReport(context, run);
  const warnings = doubts.map(({ address, warning }) => `${address}: ${warning}`);
  const lines = [
    ...(warnings.length === 0 ? [] : [`${joinLines(warnings)}\n`]),
    renderSummary(result),
    ...renderInvestigated(result.investigated ?? []),
    `html:  ${spellPath(paths.html)}`,
    `junit: ${spellPath(paths.junit)}`,
  ];
  return { status: 'passed', page: () => lines.join('\n') };
};

/** Renders the table of ends of a run. Skipped cells, and cells whose world did not come up, have no evidence. */
function renderTable(context: Context, { paths, result }: SavedRun): string {
  const { matrix } = loadConfig(context);
  const deaths: RecordedDeath[] = [];
  const unrun: UnrunCell[] = [];
  for (const { address, evidence, verdict, note } of result.cells) {
    const folder = paths.inRun(evidence);
    if (pathExists(folder.record)) deaths.push(readDeath(folder.dir, matrix));
    else unrun.push({ address, why: [verdict, note].filter(Boolean).join(', ') });
  }
  return renderDeaths(deaths, unrun);
}
