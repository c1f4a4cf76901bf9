import { writeTextAtomic } from '../drivers/files.ts';
import { UsageError } from '../model/errors.ts';
import type { RunResult } from '../model/formats.ts';
import { formatHint } from '../model/nearest.ts';
import { renderHtml } from '../report/render-html.ts';
import { renderJunit } from '../report/render-junit.ts';
import { renderMarkdown } from '../report/render-markdown.ts';
import { renderSummary } from '../report/render-summary.ts';
import type { RunVerb } from './context.ts';
import { getRun } from './find-run.ts';
import { spellPath } from './spell-path.ts';

/** What `--format` prints on standard output. */
const FORMATS: Readonly<Record<string, (result: RunResult) => string>> = {
  markdown: renderMarkdown,
  junit: renderJunit,
  html: renderHtml,
  json: (result) => JSON.stringify(result, null, 2),
};

/**
 * `lab report [run]`: the summary of a saved run (default: the newest), and writes its HTML and JUnit files again;
 * with `--format` one of the formats on standard output.
 */
export const runReport: RunVerb = (context, words, flags) => {
  const format = flags.json === true ? 'json' : flags.format;
  const render = format === undefined ? undefined : FORMATS[format];
  if (format !== undefined && render === undefined) {
    const known = Object.keys(FORMATS);
    throw new UsageError(`there is no format "${format}"${formatHint(format, known)}`, {
      tryNext: 'npm run lab help report',
    });
  }
  const { paths, result } = getRun(context, words[0]);
  if (render !== undefined) {
    context.print(render(result).trimEnd());
    return Promise.resolve(0);
  }
  writeTextAtomic(paths.junit, renderJunit(result));
  writeTextAtomic(paths.html, renderHtml(result));
  context.print(
    `${renderSummary(result)}\nhtml:  ${spellPath(paths.html)}\njunit: ${spellPath(paths.junit)}`,
  );
  return Promise.resolve(0);
};
