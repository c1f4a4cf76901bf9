/**
 * `npm run autopsy-page [file]`: builds the autopsy as one HTML file that loads nothing and may connect to nothing. Readers
 * and judge are those of the command.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'lab/autopsy/browser');

/** Builds the page. */
export async function buildAutopsyPage(): Promise<string> {
  const [worker, script] = await Promise.all([bundle('worker.ts'), bundle('page.ts')]);
  const style = read('lab/report/page/browser/report.css') + read('lab/autopsy/browser/page.css');
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}' blob:`,
    `style-src '${digest(style)}'`,
    'worker-src blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8" />',
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    `<title>Who killed this pod?</title><style>${style}</style></head><body>`,
    read('lab/autopsy/browser/page.html'),
    // A type that no browser runs: the page hands the text to its worker.
    `<script type="text/plain" id="worker">${worker}</script>`,
    `<script>${script}</script></body></html>\n`,
  ].join('\n');
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCES, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    // The readers know the bytes of Node; in a browser a library has the same.
    inject: entry === 'worker.ts' ? [join(SOURCES, 'node-bytes.ts')] : [],
  });
  // The end tag of a script, also within a text of it, would end the script.
  return (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

if (process.argv[1] === import.meta.filename) {
  const path = process.argv[2] ?? join(ROOT, 'autopsy.html');
  const page = await buildAutopsyPage();
  writeFileSync(path, page);
  process.stdout.write(
    `${path}: ${Math.round(Buffer.byteLength(page) / 1000)} kB\nnext: open it, and drop files into it\n`,
  );
}
