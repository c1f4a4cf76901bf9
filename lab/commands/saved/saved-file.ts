import type { ZodType } from 'zod';
import { describeProblem, HostError } from '../../model/errors/errors.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';

/** A file of a run folder, as errors describe it. */
export interface SavedFile {
  readonly path: string;
  /** What the file should be: `a result`, `a plan`. */
  readonly is: string;
  /** What a person should move away if it is something else: the file, or its whole folder. */
  readonly move: 'it' | 'its folder';
}

/**
 * Returns the value of a saved file, checked by its schema.
 *
 * @throws HostError LAB_STATE_FILE with the first problem when the file is not of this version.
 */
export function requireSaved<T>(file: SavedFile, schema: ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [problem] = listZodProblems(file.path, schema, value, parsed.error);
  throw refuseSaved(file, problem === undefined ? 'no detail' : describeProblem(problem));
}

/** The error for a saved file that is not what it should be. */
export function refuseSaved({ path, is, move }: SavedFile, lastSeen: string): HostError {
  return new HostError('LAB_STATE_FILE', `${path} is not ${is} of this version`, {
    lastSeen,
    tryNext: `move ${move} away`,
  });
}
