import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderSchemas } from '../../../../lab/report/formats/render-schemas.ts';
import { PROJECT } from '../../project-files.ts';

/** A JSON Schema, as far as it says where fields are. */
interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** Paths of the fields that nothing explains. */
function findUnexplained(schema: Schema, path = ''): string[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], $defs = {} } = schema;
  const own = Object.entries(properties).flatMap(([name, field]) => [
    ...((field.description ?? '') === '' ? [`${path}.${name}`] : []),
    ...findUnexplained(field, `${path}.${name}`),
  ]);
  const inside = [items, additionalProperties].filter((inner) => typeof inner === 'object');
  return [
    ...own,
    ...inside.flatMap((inner) => findUnexplained(inner, `${path}[]`)),
    ...[...anyOf, ...oneOf, ...Object.values($defs)].flatMap((inner) => findUnexplained(inner, path)),
  ];
}

describe('docs/schemas', () => {
  const folder = join(PROJECT, 'docs/schemas');

  it('holds exactly what `npm run docs` writes', () => {
    const rendered = renderSchemas();
    expect(readdirSync(folder).sort()).toEqual([...rendered.keys()].sort());
    for (const [name, text] of rendered) expect(readFileSync(join(folder, name), 'utf8'), name).toBe(text);
  });

  it.each([...renderSchemas()])('%s explains every field', (_, text) => {
    expect(findUnexplained(JSON.parse(text) as Schema)).toEqual([]);
  });
});
