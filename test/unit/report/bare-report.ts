import type { RunResult } from '../../../lab/model/saved/formats.ts';
import { renderHtml } from '../../../lab/report/page/render-html.ts';

/** The page of a run of which nothing but the result is left: no evidence, no versions, no earlier run. */
export function renderBareHtml(result: RunResult): string {
  return renderHtml({
    result,
    versions: new Map(),
    flips: [],
    histories: new Map(),
    version: '0.0.0',
    assets: { style: '', script: '' },
    factsOf: () => ({ story: undefined, excerpts: [] }),
  }).text;
}
