import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../project-files.ts';

/** Folders in which a name means one thing. */
const FOLDERS = ['lab', 'provision', 'stacks', 'bin'];

/** The names that a file declares and exports. What it only passes on (`export … from`) is declared elsewhere. */
function listExports(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.canHaveModifiers(statement)) return [];
    const isExported = ts
      .getModifiers(statement)
      ?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword);
    return isExported === true ? listDeclared(statement) : [];
  });
}

function listDeclared(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

/** Names that more than one file exports, each with these files. A file may export a value and the type of it. */
function findTwice(files: ReadonlyMap<string, string>): string[] {
  const byName = new Map<string, Set<string>>();
  for (const [file, text] of files) {
    for (const name of listExports(file, text)) byName.set(name, (byName.get(name) ?? new Set()).add(file));
  }
  return [...byName]
    .filter(([, where]) => where.size > 1)
    .map(([name, where]) => `${name}: ${[...where].join(', ')}`);
}

function readSources(): Map<string, string> {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      join(folder, path),
    ),
  );
  // A .d.mts repeats what its .mjs exports. The library has names for other programs.
  const sources = paths.filter(
    (path) => /\.(ts|mjs)$/.test(path) && !path.startsWith(join('lab', 'library')),
  );
  return new Map(sources.map((path) => [path, readFileSync(join(PROJECT, path), 'utf8')]));
}

describe('an exported name', () => {
  it('stands in one file only', () => {
    const files = readSources();
    expect(listExports('lab/cli.ts', files.get('lab/cli.ts') ?? '')).toContain('main');
    expect(findTwice(files)).toEqual([]);
  });

  it.each([
    'export const a = 1;',
    'export function a() {}',
    'export async function a() {}',
    'export class a {}',
    'export interface a {}',
    'export type a = string;',
  ])('is seen when it is written like this: %s', (text) => {
    const files = new Map([
      ['a.ts', text],
      ['b.ts', 'export const a = 1, b = 2;'],
      ['c.ts', "const a = 1; export { a } from './a.ts';"],
    ]);
    expect(findTwice(files)).toEqual(['a: a.ts, b.ts']);
  });
});
