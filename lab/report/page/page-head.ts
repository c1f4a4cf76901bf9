import { createHash } from 'node:crypto';
import { html, rawElement, type Html } from '../text/html.ts';
import type { PageAssets } from './run-report.ts';

/** The head of a page that loads nothing. Nothing but this style and this script is used, whatever is in the evidence. */
export function renderPageHead(
  title: string,
  { style, script }: Partial<PageAssets> & { style: string },
): Html {
  const scripts = script === undefined ? '' : ` script-src '${digest(script)}';`;
  const policy = `default-src 'none'; style-src '${digest(style)}';${scripts} base-uri 'none'; form-action 'none'`;
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <title>${title}</title>
    ${rawElement('style', style)}
  </head>`;
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
