import { LineCounter, parseAllDocuments } from 'yaml';
import type { z } from 'zod';
import type { ConfigProblem } from '../model/errors.ts';
import { listZodProblems } from './zod-problems.ts';

/** A text file of the project; `path` is relative to the project. */
export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** Parses the first document of a YAML file by a schema; undefined when it is wrong, which is added to the problems. */
export function parseOne<T extends z.ZodType>(
  file: ConfigFile,
  schema: T,
  problems: ConfigProblem[],
): z.infer<T> | undefined {
  const documents = parseYaml(file, problems);
  if (documents === undefined) return undefined;
  const value = documents[0] ?? null;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  problems.push(...listZodProblems(file.path, schema, value, parsed.error));
  return undefined;
}

/** The documents of a YAML file as plain values; undefined when it is no YAML (the problems say where). */
export function parseYaml(file: ConfigFile, problems: ConfigProblem[]): unknown[] | undefined {
  const lines = new LineCounter();
  const documents = parseAllDocuments(file.text, { lineCounter: lines, prettyErrors: false });
  const errors = [...documents].flatMap((document) => document.errors);
  for (const error of errors) {
    const { line, col } = lines.linePos(error.pos[0]);
    const path = `line ${line}, column ${col}`;
    problems.push({ file: file.path, path, expected: 'valid YAML', received: error.message });
  }
  if (errors.length > 0) return undefined;
  return [...documents].map((document) => document.toJS() as unknown);
}
