import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../project-files.ts';

/** Libraries that take longer to load than the help, or a TAB, may take. */
const HEAVY = ['zod', 'yaml', 're2js', '@cfworker/json-schema', 'zx', 'cdktf', '@kubernetes/client-node'];

/** What a file loads as soon as it is loaded: no types, and nothing of `import()`. */
function listLoaded(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(PROJECT, file), 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
    return isOnlyTypes(statement) ? [] : [moduleSpecifier.text];
  });
}

function isOnlyTypes(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  const { importClause } = statement;
  if (importClause === undefined) return false;
  const { namedBindings } = importClause;
  const areTypes =
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly);
  return importClause.isTypeOnly || (areTypes && importClause.name === undefined);
}

/** The ways from a file to a heavy library, one for each file that loads it. */
function findWays(start: string): string[] {
  const ways: string[] = [];
  const seen = new Set<string>();
  const walk = (file: string, way: readonly string[]): void => {
    if (seen.has(file) || !existsSync(join(PROJECT, file))) return;
    seen.add(file);
    for (const name of listLoaded(file)) {
      if (HEAVY.includes(name)) ways.push([...way, file, name].join(' → '));
      if (name.startsWith('.')) walk(join(dirname(file), name), [...way, file]);
    }
  };
  walk(start, []);
  return ways;
}

describe('a start', () => {
  it.each(['lab/cli.ts', 'lab/commands/line/complete.ts'])('loads no parser with %s', (file) => {
    expect(findWays(file)).toEqual([]);
  });

  it.each(['up', 'run', 'repro', 'list'])(
    'loads no client of Kubernetes with %s, until one is connected',
    (verb) => {
      const ways = findWays(`lab/commands/verbs/${verb}.ts`);
      expect(ways.filter((way) => way.endsWith('client-node'))).toEqual([]);
    },
  );

  it('is walked as far as a parser, where there is one', () => {
    expect(findWays('lab/commands/setup/config.ts').join('\n')).toContain('→ zod');
  });
});
