import { describe, expect, it } from 'vitest';
import { renderSchemas } from '../../../lab/report/formats/render-schemas.ts';

interface Schema {
  readonly [keyword: string]: unknown;
}

/** Numbers of what is measured, values of a parameter, and what is handed to the kubelet and to containerd as it is. */
const ANY_SIZE =
  /(__schema[01]|sane|atLeast|atMost|between|values|default|parameters|least|most|formatVersion)/;

/** Every number below a schema that has no upper bound, by its path. */
function unbounded(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, maximum, exclusiveMaximum, ...rest } = schema as Schema;
  const isOpen = (type === 'number' || type === 'integer') && (maximum ?? exclusiveMaximum) === undefined;
  // zod writes the largest safe integer where nothing was said.
  const isSafe = maximum === Number.MAX_SAFE_INTEGER;
  const own = (isOpen || isSafe) && !ANY_SIZE.test(path) ? [path] : [];
  return [...own, ...Object.entries(rest).flatMap(([name, below]) => unbounded(below, `${path}/${name}`))];
}

describe('a number of a file that a person writes', () => {
  it.each(['scenario', 'bug', 'matrix'])('has an upper bound: %s', (name) => {
    const text = renderSchemas().get(`${name}.schema.json`);
    expect(text).toBeDefined();
    expect(unbounded(JSON.parse(text!))).toEqual([]);
  });
});
