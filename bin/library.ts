/**
 * `npm run library`, and before each `npm pack`: writes what other programs import, one file for each entry, with its
 * types. The bundler is that of the program itself (bin/program.mjs).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const ENTRIES = { index: 'lab/library/index.ts', vitest: 'lab/library/vitest.ts' };

/** Writes the library into a folder: `<entry>.mjs` and `<entry>.d.mts`. */
export async function writeLibrary(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await writeModules(folder);
  writeTypes(folder);
}

/** Writes what runs: `<entry>.mjs`. */
async function writeModules(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  });
}

/** Declarations of the entries and of what they name, as the compiler writes them. */
function writeTypes(folder: string): void {
  const out = mkdtempSync(join(tmpdir(), 'whodunit-types-'));
  try {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
      config: object;
    };
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
    const roots = Object.values(ENTRIES).map((entry) => join(ROOT, entry));
    const program = ts.createProgram(roots, {
      ...options,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      allowImportingTsExtensions: true,
      outDir: out,
      rootDir: ROOT,
    });
    const { diagnostics } = program.emit();
    const [first] = diagnostics;
    if (first !== undefined) throw new Error(ts.flattenDiagnosticMessageText(first.messageText, '\n'));
    copyNamed(out, join(folder, 'types'));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  for (const [name, entry] of Object.entries(ENTRIES))
    writeFileSync(
      join(folder, `${name}.d.mts`),
      `export * from './types/${entry.replace(/\.ts$/, '.js')}';\n`,
    );
}

/** Copies the declarations of the entries, and those that they name. */
function copyNamed(from: string, to: string): void {
  const left = Object.values(ENTRIES).map(toDeclaration);
  const copied = new Set<string>();
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (copied.has(path)) continue;
    copied.add(path);
    const text = readFileSync(join(from, path), 'utf8');
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), text);
    for (const [, name = ''] of text.matchAll(/(?:from |import\()["'](\.[^"']+\.ts)["']/g))
      left.push(toDeclaration(join(dirname(path), name)));
  }
}

function toDeclaration(path: string): string {
  return path.replace(/\.ts$/, '.d.ts');
}

if (process.argv[1] === import.meta.filename) await writeLibrary(join(ROOT, 'dist'));
