/**
 * `npm run texts -- <program> <release> [--source <folder>]`: whether the source of a release still has the texts by which
 * the lab recognises kills (docs/texts-of-kills.yaml). Without a folder Go downloads the module of the release. Ends with 1
 * when a text is missing, with 2 when it was asked wrongly.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { findMissingTexts, moduleOf, TEXTS_FILE, textsSchema } from './texts/texts-of-kills.ts';

const PROJECT = join(import.meta.dirname, '..');

function downloadModule(module: string, version: string): string {
  const output = execFileSync('go', ['mod', 'download', '-json', `${module}@v${version}`], {
    encoding: 'utf8',
    cwd: '/',
  });
  return (JSON.parse(output) as { readonly Dir: string }).Dir;
}

/** All code of a file, or of a folder and those below it, without tests. */
function readCode(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isFile()) return readFileSync(path, 'utf8');
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[ch]$|(?<!_test)\.go$/.test(name))
    .map((name) => readFileSync(join(path, name), 'utf8'))
    .join('\n');
}

function main(): number {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { source: { type: 'string' } },
  });
  const { programs } = textsSchema.parse(parse(readFileSync(join(PROJECT, TEXTS_FILE), 'utf8')));
  const [name = '', version = ''] = positionals;
  const program = programs[name];
  if (program === undefined || !/^\d+(\.\d+)+$/.test(version)) {
    console.error(
      `usage: npm run texts -- <${Object.keys(programs).join('|')}> <release> [--source <folder>]`,
    );
    return 2;
  }
  const module = moduleOf(program, version);
  if (values.source === undefined && module === undefined) {
    console.error(`${name} has no Go module: name the folder of its source with --source`);
    return 2;
  }
  const folder = values.source ?? downloadModule(module ?? '', version);
  const missing = findMissingTexts(program, version, (path) => readCode(join(folder, path)));
  for (const text of missing) console.log(`missing: ${text}`);
  console.log(`${name} ${version}: ${program.texts.length} texts, ${missing.length} missing`);
  if (missing.length === 0) console.log(`next: add ${version} to \`releases\` of ${name} in ${TEXTS_FILE}`);
  return missing.length === 0 ? 0 : 1;
}

process.exitCode = main();
