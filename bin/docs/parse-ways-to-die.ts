import { ConfigError, type ConfigProblem } from '../../lab/model/errors/errors.ts';
import { waysToDieSchema, type WayToDie } from '../../lab/model/declared/ways-to-die.ts';
import { parseOne, placeProblems } from '../../lab/model/files/yaml-file.ts';

/**
 * Parses and checks `docs/ways-to-die.yaml`.
 *
 * @throws ConfigError with every problem of the file.
 */
export function parseWaysToDie(path: string, text: string): WayToDie[] {
  const problems: ConfigProblem[] = [];
  const file = { path, text };
  const parsed = parseOne(file, waysToDieSchema, problems);
  if (parsed !== undefined) return parsed.ways;
  throw new ConfigError(placeProblems(problems, [file]), {
    tryNext: 'lab/model/declared/ways-to-die.ts says what the file may contain',
  });
}
