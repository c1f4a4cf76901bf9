import { parse, YAMLParseError } from 'yaml';
import { ConfigError } from '../model/errors.ts';
import { waysToDieSchema, type WayToDie } from '../model/ways-to-die.ts';
import { listZodProblems } from './zod-problems.ts';

/**
 * Parses and checks `docs/ways-to-die.yaml`.
 *
 * @throws ConfigError with every problem of the file.
 */
export function parseWaysToDie(file: string, text: string): WayToDie[] {
  const value = parseYaml(file, text);
  const parsed = waysToDieSchema.safeParse(value);
  if (parsed.success) return parsed.data.ways;
  throw new ConfigError(listZodProblems(file, waysToDieSchema, value, parsed.error), {
    tryNext: 'lab/model/ways-to-die.ts says what the file may contain',
  });
}

function parseYaml(file: string, text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    const [problem = ''] = error.message.split('\n');
    throw new ConfigError([{ file, path: '', expected: 'YAML', received: problem }], { cause: error });
  }
}
