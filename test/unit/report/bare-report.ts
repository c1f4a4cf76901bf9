import type { RunResult } from '../../../lab/model/saved/formats.ts';
import type { RunReport } from '../../../lab/report/page/run-report.ts';
import { renderHtml } from '../../../lab/report/page/render-html.ts';

/** The page of a run of which nothing but the result is left: no evidence, no versions unless they are given, no earlier run. */
export function renderBareHtml(result: RunResult, versions: RunReport['versions'] = new Map()): string {
  return renderHtml({
    result,
    versions,
    flips: [],
    histories: new Map(),
    version: '0.0.0',
    assets: { style: '', script: '' },
    factsOf: () => ({ story: undefined, excerpts: [] }),
  }).text;
}
