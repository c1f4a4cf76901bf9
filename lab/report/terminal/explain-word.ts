import type { ExplainResult } from '../../model/saved/answers.ts';
import { AXES } from '../../model/axes/axes.ts';
import type { Bug } from '../../model/declared/bug.ts';
import { ERROR_TABLE, type ErrorGroup } from '../../model/errors/error-table.ts';
import { toExitCode } from '../../model/errors/exit-status.ts';
import { ENVIRONMENT_TABLE, type VariableRow } from '../../model/host/environment.ts';
import { FAMILIES, KILLERS, rowOf, type HowRow } from '../../model/killers/killers.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { MeasureRow } from '../../model/measures/measure-row.ts';
import { MEASURE_TABLE } from '../../model/measures/measure-table.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { STIMULUS_TABLE } from '../../model/declared/stimulus.ts';
import { findByWords } from '../../model/text/search.ts';
import { renderSchemas } from '../formats/render-schemas.ts';
import { wrapText } from '../text/text-table.ts';
import { addProducers, listWordsOfEnds } from './explain-ends.ts';
import { listTerms } from './explain-terms.ts';

type Entry = ExplainResult['entries'][number];

/** What a project declares: its words are explained. */
export interface DeclaredProject {
  readonly matrix: Matrix;
  readonly scenarios: readonly LoadedScenario[];
  readonly bugs: readonly Bug[];
}

/**
 * Lists everything that `whodunit explain` knows, from the tables that docs and schemas are made of.
 *
 * @param declared undefined if a file of the project is broken that all others need: the rest can still be explained.
 */
export function listExplanations(declared: DeclaredProject | undefined): Entry[] {
  const own = declared === undefined ? [] : [...ofMatrix(declared.matrix), ...ofDeclared(declared)];
  const scenarios = declared?.scenarios ?? [];
  const terms = listTerms().map((entry) => addProducers(entry, scenarios));
  return [...own, ...listWordsOfEnds(scenarios), ...terms, ...ofTables(), ...ofFields()];
}

/**
 * Returns what a word means: everything with this name, each once. The last part of a name counts too: `withinSeconds`
 * finds `expect.withinSeconds`. For a selector, its value or its key is explained: `set=full`, `cgroup=v1`.
 */
export function findCalled(all: readonly Entry[], word: string): Entry[] {
  const [key = '', value] = word.split('=');
  for (const name of [word, ...(value === undefined ? [] : [value, key])]) {
    const exact = all.filter((entry) => isCalled(entry.name, name));
    const found =
      exact.length > 0
        ? exact
        : all.filter((entry) => isCalled(entry.name.toLowerCase(), name.toLowerCase()));
    if (found.length > 0) return uniqueEntries(found);
  }
  return [];
}

/** How many answers a search has at most: a reader takes the best, or asks again. */
const MOST = 8;

/** The entries that have all of the words, the best first. */
export function searchEntries(all: readonly Entry[], words: readonly string[]): Entry[] {
  const found = findByWords(all, words, ({ kind, name, text }) => [
    { text: name, weight: 4 },
    { text: kind, weight: 1 },
    { text: text.join('\n'), weight: 1 },
  ]);
  return uniqueEntries(found).slice(0, MOST);
}

function isCalled(name: string, word: string): boolean {
  return name === word || name.endsWith(`.${word}`);
}

/** Formats have parts in common: a field that says the same in several is explained once. */
function uniqueEntries(entries: readonly Entry[]): Entry[] {
  const said = new Map<string, Entry>();
  for (const entry of entries) {
    const last = entry.name.slice(entry.name.lastIndexOf('.') + 1);
    const key = entry.kind.startsWith('field of ')
      ? `${last}\n${entry.text.join('\n')}`
      : `${entry.kind}\n${entry.name}`;
    if (!said.has(key)) said.set(key, entry);
  }
  return [...said.values()];
}

/** Renders `whodunit explain <word>`. */
export function renderExplanation({ entries }: ExplainResult): string {
  return entries
    .map(({ kind, name, text, source }) =>
      [
        `${name} (${kind})`,
        ...text.flatMap((line) =>
          wrapText(plain(line), 100).map((part, index) => `${index === 0 ? '  ' : '    '}${part}`),
        ),
        ...(source === undefined ? [] : [`  source: ${source}`]),
      ].join('\n'),
    )
    .join('\n\n');
}

function ofMatrix(matrix: Matrix): Entry[] {
  const statements = [
    ['rule', matrix.rules],
    ['start failure', matrix.startFailures],
    ['note', matrix.notes],
  ] as const;
  return [
    ...AXES.map((axis): Entry => {
      const { about, values, example } = matrix.axes[axis];
      const exact = example === undefined ? [] : [`also exact ones like ${example}`];
      return {
        kind: 'axis',
        name: axis,
        text: [about, `values: ${values.join(', ')}; the first is the default`, ...exact],
      };
    }),
    ...statements.flatMap(([kind, list]) =>
      list.map(({ id, reason, source, proof, when }): Entry => {
        const where = Object.entries(when).map(([key, texts]) => `${key} ${texts.join(' or ')}`);
        return { kind, name: id, text: [reason, `where: ${where.join(' and ')}`, `proof: ${proof}`], source };
      }),
    ),
    ...Object.entries(matrix.sets).map(([name, { about }]): Entry => ({
      kind: 'set',
      name,
      text: [about, `npx whodunit list set=${name} --summary`],
    })),
    ...Object.entries(matrix.knobs).map(([name, { about, source }]): Entry => ({
      kind: 'bundle of knobs',
      name,
      text: [about],
      source,
    })),
  ];
}

function ofTables(): Entry[] {
  return [
    ...KILLERS.flatMap((killer): Entry[] => {
      const { family, proof, advice, hows } = rowOf(killer);
      const ways = Object.entries<HowRow>(hows);
      const names = ways.length === 0 ? [] : [`ways: ${ways.map(([name]) => name).join(', ')}`];
      return [
        {
          kind: 'killer',
          name: killer,
          text: [`who acts: ${FAMILIES[family]}`, `proof: ${proof}`, `do: ${advice}`, ...names],
        },
        ...ways.map(([name, { says, advice: own }]): Entry => ({
          kind: `way of ${killer}`,
          name,
          text: [says ?? 'what its name says', `do: ${own ?? advice}`],
        })),
      ];
    }),
    ...Object.values<ErrorGroup>(ERROR_TABLE).flatMap(({ exit, errors }) =>
      Object.entries(errors).map(([name, { means, fix }]): Entry => ({
        kind: `error, exit code ${toExitCode(exit)}`,
        name,
        text: [means, `do: ${fix}`],
      })),
    ),
    ...Object.values<Readonly<Record<string, VariableRow>>>(ENVIRONMENT_TABLE).flatMap((variables) =>
      Object.entries(variables).map(([name, { does, otherwise }]): Entry => ({
        kind: 'environment variable',
        name,
        text: [does, `when it is not set: ${otherwise}`],
        source: 'docs/environment.md',
      })),
    ),
    ...Object.entries(STIMULUS_TABLE).map(([name, { does }]): Entry => ({
      kind: 'stimulus',
      name,
      text: [does],
    })),
    ...Object.entries(MEASURE_TABLE).map(([name, { means, unit, of, from }]): Entry => ({
      kind: 'measure',
      name,
      text: [means, describeReading({ unit, of, from })],
    })),
  ];
}

/** What a measure is of, who measures it, and its unit. */
function describeReading({ unit, of, from }: Pick<MeasureRow, 'unit' | 'of' | 'from'>): string {
  return `of the ${of}, from ${from}${unit === '' ? '' : `, in ${unit}`}`;
}

function ofDeclared({ scenarios, bugs }: DeclaredProject): Entry[] {
  return [
    ...scenarios.map(({ scenario: { name, title, makeItFail } }): Entry => ({
      kind: 'scenario',
      name,
      text: [title, `to see it fail: ${makeItFail}`, `npx whodunit list ${name}`],
    })),
    ...scenarios.flatMap(({ scenario }) =>
      Object.entries(scenario.parameters).map(([name, { about, values }]): Entry => ({
        kind: `parameter of ${scenario.name}`,
        name,
        text: [about, `values: ${values.join(', ')}`],
      })),
    ),
    ...scenarios.flatMap(({ scenario }) =>
      Object.entries(scenario.measures).map(([name, { means, unit, of }]): Entry => ({
        kind: `measure of ${scenario.name}`,
        name,
        text: [means, describeReading({ unit: unit ?? '', of, from: 'sampler' })],
      })),
    ),
    ...bugs.map(({ id, title, summary, links }): Entry => ({
      kind: 'bug',
      name: id,
      text: [title, summary, `npx whodunit repro ${id}`],
      source: links[0],
    })),
  ];
}

/** A JSON Schema, as far as it says where fields are. */
interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Every format, and every field of it. */
function ofFields(): Entry[] {
  return [...renderSchemas()].flatMap(([file, text]): Entry[] => {
    const format = file.replace('.schema.json', '');
    const source = `docs/schemas/${file}`;
    const schema = JSON.parse(text) as Schema;
    const fields = listFields(schema);
    const parts = fields.flatMap(([path]) => (path.includes('.') ? [] : [path]));
    return [
      { kind: 'format', name: format, text: [`its fields: ${[...new Set(parts)].join(', ')}`], source },
      ...fields.map(([path, about]) => ({ kind: `field of ${format}`, name: path, text: [about], source })),
    ];
  });
}

function listFields(schema: Schema, path = ''): [path: string, about: string][] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [[at, field.description ?? ''] as [string, string], ...listFields(field, at)];
  });
  const inside = [items, additionalProperties].filter((schema) => typeof schema === 'object');
  return [...own, ...[...inside, ...anyOf, ...oneOf].flatMap((schema) => listFields(schema, path))];
}

/** Markdown as plain text: links by their words. */
function plain(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
