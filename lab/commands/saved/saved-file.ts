import type { ZodType } from 'zod';
import { describeProblem, HostError } from '../../model/errors/errors.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';

/** A file of a run folder, as an error speaks of it. */
export interface SavedFile {
  readonly path: string;
  /** What it has to be: `a result`, `a plan`. */
  readonly is: string;
  /** What is to be moved away when it is not: the file, or its whole folder. */
  readonly move: 'it' | 'its folder';
}

/**
 * Returns what a saved file holds, if it is of this version.
 *
 * @throws HostError LAB_STATE_FILE with the first problem when it is not.
 */
export function requireSaved<T>(file: SavedFile, schema: ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [problem] = listZodProblems(file.path, schema, value, parsed.error);
  throw refuseSaved(file, problem === undefined ? 'no detail' : describeProblem(problem));
}

/** The error of a saved file that is not what it has to be. */
export function refuseSaved({ path, is, move }: SavedFile, lastSeen: string): HostError {
  return new HostError('LAB_STATE_FILE', `${path} is not ${is} of this version`, {
    lastSeen,
    tryNext: `move ${move} away`,
  });
}
