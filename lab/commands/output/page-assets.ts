import { join } from 'node:path';
import { getText } from '../../drivers/files/files.ts';
import type { PageAssets } from '../../report/page/run-report.ts';
import type { Context } from '../context/context.ts';

/** The scripts in their order: the last one starts the page. */
const SCRIPTS = ['pages.js', 'search.js', 'grid.js', 'tips.js', 'keys.js', 'route.js'];

/** Reads the style of all pages. */
export function readPageStyle(context: Pick<Context, 'projectDir'>): string {
  return readAsset(context, 'report.css');
}

/** Reads the style and the scripts of the page of a run. */
export function readPageAssets(context: Pick<Context, 'projectDir'>): PageAssets {
  const scripts = SCRIPTS.map((name) => readAsset(context, name));
  return { style: readPageStyle(context), script: scripts.join('\n') };
}

function readAsset({ projectDir }: Pick<Context, 'projectDir'>, name: string): string {
  return getText(join(projectDir, 'lab/report/page/browser', name));
}
