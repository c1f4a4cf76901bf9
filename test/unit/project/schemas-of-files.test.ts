import { Validator, type Schema } from '@cfworker/json-schema';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { renderSchemas } from '../../../lab/report/formats/render-schemas.ts';
import { SHIPPED_FILES, shippedText } from '../project-files.ts';

/** What an editor checks files of the project with. */
const schemas = renderSchemas();
const validators = new Map<string, Validator>();

function validatorOf(name: string): Validator {
  const known = validators.get(name);
  if (known !== undefined) return known;
  const made = new Validator(JSON.parse(schemas.get(name) ?? 'false') as Schema, '2020-12', false);
  validators.set(name, made);
  return made;
}

/** What is wrong with a text; the first that a person would read. */
function mistakesIn(name: string, text: string): string[] {
  const { errors } = validatorOf(name).validate(parse(text));
  return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

const SCHEMA_OF: readonly (readonly [pattern: RegExp, schema: string])[] = [
  [/^scenarios\/[^/]+\/scenario\.yaml$/, 'scenario.schema.json'],
  [/^bugs\/[^/]+\.yaml$/, 'bug.schema.json'],
  [/^matrix\.yaml$/, 'matrix.schema.json'],
  [/^components\.yaml$/, 'components.schema.json'],
];

describe('the published schemas', () => {
  it.each(SCHEMA_OF)('accept every file of the project like %s', (pattern, schema) => {
    const files = SHIPPED_FILES.filter(({ path }) => pattern.test(path));
    expect(files.length).toBeGreaterThan(0);
    const wrong = files.flatMap(({ path, text }) =>
      mistakesIn(schema, text).map((found) => `${path} ${found}`),
    );
    expect(wrong).toEqual([]);
  });

  it('have files to show that a parameter may be a number, a name and a part of a text', () => {
    const written = SHIPPED_FILES.filter(
      ({ path, text }) => path.endsWith('/scenario.yaml') && /: '?[^ ]*\$\{/.test(text),
    );
    expect(written.length).toBeGreaterThanOrEqual(6);
  });

  const SCENARIO = 'scenarios/oom-single-container/scenario.yaml';
  it.each([
    [SCENARIO, 'killer: memcg-oom', 'killer: memcg-om'],
    [SCENARIO, 'withinSeconds:', 'withinSecond:'],
    [SCENARIO, 'formatVersion: 1', 'formatVersion: ${version}'],
    [SCENARIO, 'reason: [OOMKilled]', 'reason: [Eror]'],
    ['scenarios/java-heap/scenario.yaml', "version: '${java}'", 'version: 17'],
    ['scenarios/java-heap/scenario.yaml', 'java:${java}', 'java:{java}'],
    ['scenarios/sigkill-from-node/scenario.yaml', 'kind: node-signal', "kind: '${kind}'"],
    ['matrix.yaml', 'memoryMiB: 3072', 'memoryMiB: 1'],
    ['matrix.yaml', 'proof: proven', 'proof: sure'],
    ['components.yaml', 'kind: release', 'kind: relase'],
    ['components.yaml', 'packages: [runc]', 'packages: []'],
    ['bugs/cpu-weight-too-low.yaml', 'formatVersion: 1', 'formatVersion: 2'],
  ])('refuse %s with %s → %s', (path, piece, other) => {
    const text = shippedText(path);
    expect(text).toContain(piece);
    const [, schema = ''] = SCHEMA_OF.find(([pattern]) => pattern.test(path)) ?? [];
    expect(
      mistakesIn(
        schema,
        text.replace(piece, () => other),
      ),
    ).not.toEqual([]);
  });
});
