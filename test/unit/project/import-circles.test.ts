import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../project-files.ts';

/** What each file imports of the others, in whatever way: `import`, `import type`, `export from`, `import()`. */
type Imports = ReadonlyMap<string, readonly string[]>;

function readImports(files: ReadonlyMap<string, string>): Imports {
  return new Map(
    [...files].map(([file, text]) => {
      const named = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName);
      const paths = named.filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name));
      return [file, paths.filter((path) => files.has(path))];
    }),
  );
}

/** Circles of imports, each from one of its files back to that file; one for each way back that a walk meets. */
function findCircles(imports: Imports): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    const from = path.indexOf(file);
    if (from >= 0) circles.push([...path.slice(from), file].join(' → '));
    if (from >= 0 || done.has(file)) return;
    for (const next of imports.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) walk(file, []);
  return circles;
}

/** Every source of the project. */
function readSources(): Map<string, string> {
  const names = readdirSync(PROJECT, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name];
      const below = readdirSync(join(PROJECT, entry.name), { recursive: true, encoding: 'utf8' });
      return below.map((path) => join(entry.name, path));
    })
    .filter((path) => /\.m?[jt]s$/.test(path));
  return new Map(names.map((path) => [path, readFileSync(join(PROJECT, path), 'utf8')]));
}

describe('imports', () => {
  it('go in no circle, not even those of types', () => {
    const imports = readImports(readSources());
    expect(imports.get('lab/cli.ts')).toContain('lab/commands/line/command-line.ts');
    expect(findCircles(imports)).toEqual([]);
  });

  it.each([
    ["import { b } from './b.ts';"],
    ["import type { B } from './b.ts';"],
    ["export * from './b.ts';"],
    ["export type { B } from './b.ts';"],
    ["const b = () => import('./b.ts');"],
    ["let b: import('./b.ts').B;"],
    ["let b: typeof import('./b.ts');"],
  ])('are seen in a circle when they are written like this: %s', (text) => {
    const files = new Map([
      ['x/a.ts', text],
      ['x/b.ts', "import '../y/c.ts';"],
      ['y/c.ts', "import './d.ts'; import type { A } from '../x/a.ts';"],
      ['y/d.ts', ''],
    ]);
    expect(findCircles(readImports(files))).toEqual(['x/a.ts → x/b.ts → y/c.ts → x/a.ts']);
  });
});
