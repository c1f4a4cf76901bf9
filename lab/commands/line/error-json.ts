import type { ErrorResult } from '../../model/saved/answers.ts';
import { ConfigError, exitCodeOf, LabError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';

/** Returns what a verb that failed prints on standard output with `--json`. */
export function describeError(error: unknown): ErrorResult {
  const exitCode = exitCodeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof LabError))
    return { formatVersion: FORMAT_VERSION, error: { code: 'LAB_INTERNAL', exitCode, message } };
  const { code, lastSeen, tryNext, log } = error;
  return {
    formatVersion: FORMAT_VERSION,
    error: {
      code,
      exitCode,
      message,
      lastSeen,
      tryNext,
      log,
      ...(error instanceof ConfigError ? { problems: [...error.problems] } : {}),
    },
  };
}
