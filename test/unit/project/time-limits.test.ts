import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCENARIO_TIMES } from '../../../lab/model/limits/scenario-times.ts';
import { TIME_LIMITS } from '../../../lab/model/limits/time-limits.ts';
import { renderSchemas } from '../../../lab/report/formats/render-schemas.ts';
import { PROJECT, readProjectText } from '../project-files.ts';

const TABLE_FILE = 'lab/model/limits/time-limits.ts';
const FILES = ['lab', 'provision', 'stacks']
  .flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  )
  .filter((file) => file !== TABLE_FILE);

/** A limit that is written where it is used, as a number or as a constant of that file. */
const OWN_LIMIT = new RegExp(
  [
    /\b(?:timeoutMs|killAfterMs|readyTimeout)\b\s*[:=]\s*(?:\d|(?!TIME_LIMITS\b)[A-Z][A-Z_]+\b)/,
    /\w*TIMEOUT\w* = \d/,
    /\.timeout\(\d/,
    /\btimeout: .*[+*] [A-Z]+_MS\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

describe('the table of time limits, of which docs/time-limits.md is made', () => {
  it('has every limit: none is a number where it is used', () => {
    const own = FILES.flatMap((file) =>
      [...readProjectText(file).matchAll(OWN_LIMIT)].map(([text]) => `${file}: ${text}`),
    );
    expect(own).toEqual([]);
  });

  it('has no limit that nobody uses', () => {
    const texts = FILES.map((file) => readProjectText(file)).join('\n');
    const used = new Set(texts.match(/(?<=TIME_LIMITS\.)\w+\.\w+/g));
    const known = Object.entries(TIME_LIMITS).flatMap(([group, limits]) =>
      Object.keys(limits).map((name) => `${group}.${name}`),
    );
    expect(known.filter((name) => !used.has(name))).toEqual([]);
  });
});

describe('the times that a scenario may set', () => {
  interface Schema {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly items?: Schema;
    readonly oneOf?: readonly Schema[];
    readonly anyOf?: readonly Schema[];
    readonly default?: unknown;
  }

  /** Every field whose name ends with Seconds, with its default. */
  function timesOf(schema: Schema, path = ''): [field: string, fallback: unknown][] {
    const { properties = {}, items, oneOf = [], anyOf = [] } = schema;
    const own = Object.entries(properties).flatMap(([name, field]): [string, unknown][] => {
      const at = path === '' ? name : `${path}.${name}`;
      return [
        ...(name.endsWith('Seconds') ? [[at, field.default] as [string, unknown]] : []),
        ...timesOf(field, at),
      ];
    });
    const listed = items === undefined ? [] : timesOf(items, `${path}[]`);
    return [...own, ...listed, ...[...oneOf, ...anyOf].flatMap((variant) => timesOf(variant, path))];
  }

  it('are fields of scenario.yaml, with the defaults that the schema has', () => {
    const schema = JSON.parse(renderSchemas().get('scenario.schema.json') ?? '{}') as Schema;
    const times = new Map(timesOf(schema));
    for (const [field, row] of Object.entries(SCENARIO_TIMES)) {
      expect([...times.keys()]).toContain(field);
      if (times.get(field) !== undefined && 'defaultSeconds' in row)
        expect([field, times.get(field)]).toEqual([field, row.defaultSeconds]);
    }
  });
});
