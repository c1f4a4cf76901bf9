import { describe, expect, it } from 'vitest';
import { readPlatform } from '../../../../lab/commands/setup/config.ts';
import { ConfigError } from '../../../../lab/model/errors/errors.ts';
import {
  parseConfig,
  placeInProject,
  type Config,
  type ConfigFile,
} from '../../../../lab/plan/config/parse-config.ts';
import { projectSkeleton } from '../../../../lab/plan/config/project-skeleton.ts';
import { scenarioSkeleton } from '../../../../lab/plan/config/skeletons.ts';
import { PROJECT, SHIPPED_FILES, shippedText } from '../../project-files.ts';

const SHIPPED = SHIPPED_FILES.map((file): ConfigFile => ({ ...file, isShipped: true }));
const PROJECT_TEXT = 'formatVersion: 1\n';
const platform = readPlatform(PROJECT);

/** A project of these files over the shipped catalogue. */
function layered(files: Readonly<Record<string, string>>): ConfigFile[] {
  const own = Object.entries({ 'whodunit.yaml': PROJECT_TEXT, ...files });
  return [...SHIPPED, ...own.map(([path, text]) => ({ path, text }))];
}

const parse = (files: Readonly<Record<string, string>>): Config => parseConfig(layered(files), platform);

/** What is wrong, each with its file and the field. */
function problems(files: Readonly<Record<string, string>>): string[] {
  try {
    parse(files);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ file, line, path, expected, received }) =>
      [`${file}${line === undefined ? '' : `:${line}`}`, path, expected, received].join(' | '),
    );
  }
  return [];
}

/** A scenario in a folder, as `whodunit new` writes it. */
function scenarioIn(folder: string, name: string): Record<string, string> {
  return Object.fromEntries(
    scenarioSkeleton(name).map(({ path, text }) => [path.replace(`scenarios/${name}`, folder), text]),
  );
}

const namesOf = ({ scenarios }: Config): string[] => scenarios.map(({ scenario }) => scenario.name);
const OWN_SET = 'sets: { mine: { about: mine, blocks: [{ variants: {}, scenarios: [exit-one] }] } }';

describe('a project over the catalogue', () => {
  it('has the scenarios of both, and is right as `init` writes it', () => {
    const skeleton = Object.fromEntries(projectSkeleton().map(({ path, text }) => [path, text]));
    const files = Object.fromEntries(Object.entries(skeleton).filter(([path]) => path !== 'bugs/.gitkeep'));
    expect(namesOf(parse(files))).toEqual(expect.arrayContaining(['first-death', 'oom-single-container']));
  });

  it('finds scenarios in folders of folders', () => {
    const files = { ...scenarioIn('scenarios/team/api/one', 'one'), ...scenarioIn('scenarios/two', 'two') };
    expect(namesOf(parse(files))).toEqual(expect.arrayContaining(['one', 'two']));
  });

  it('adds values, sets, knobs and rules, and keeps every default', () => {
    const matrix = `formatVersion: 1
machine: { memoryMiB: 5000 }
axes: { kubernetes: { values: ['1.33.4'] }, knobs: { values: [mine] } }
knobs: { mine: { about: mine, sysctl: { vm.swappiness: '1' } } }
${OWN_SET}
rules: [{ id: not-here, when: { cgroup: [v1] }, reason: not here, source: 'https://example.com/x', proof: proven }]
`;
    const { matrix: own } = parse({ 'matrix.yaml': matrix });
    const { matrix: base } = parse({});
    expect(own.axes.kubernetes.values[0]).toBe(base.axes.kubernetes.values[0]);
    expect(own.axes.kubernetes.values.at(-1)).toBe('1.33.4');
    expect(own.machine).toEqual({ ...base.machine, memoryMiB: 5000 });
    expect(Object.keys(own.sets)).toEqual([...Object.keys(base.sets), 'mine']);
    expect(own.rules.map(({ id }) => id)).toEqual([...base.rules.map(({ id }) => id), 'not-here']);
    expect(own.knobs['mine']?.sysctl).toEqual({ 'vm.swappiness': '1' });
  });

  it('adds components, and versions of those that whodunit has', () => {
    const components = `formatVersion: 1
components:
  runc: { versions: { '9.9': 9.9.1 } }
  my-eater: { about: ours, versions: { '1': '1' }, sources: [{ kind: local, folder: eater, go: 1.26.8, binaries: { eater: '' } }] }
`;
    const { catalogue } = parse({ 'components.yaml': components });
    const { catalogue: base } = parse({});
    expect(catalogue.components['my-eater']?.versions).toEqual({ '1': '1' });
    expect(Object.values(catalogue.components['runc']?.versions ?? {})).toEqual([
      ...Object.values(base.components['runc']?.versions ?? {}),
      '9.9.1',
    ]);
  });

  it('replaces what whodunit.yaml names', () => {
    const replaced = parse({
      ...scenarioIn('scenarios/exit-zero', 'exit-zero'),
      'whodunit.yaml': `${PROJECT_TEXT}replaces: { scenarios: [exit-zero], sets: [quick] }\n`,
      'matrix.yaml': `formatVersion: 1\n${OWN_SET.replace('mine:', 'quick:')}\n`,
    });
    const { scenario } = replaced.scenarios.find((loaded) => loaded.scenario.name === 'exit-zero') ?? {};
    expect(scenario?.title).toContain('A program ends by itself');
    expect(replaced.matrix.sets['quick']?.about).toBe('mine');
  });
});

describe('what is refused', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
    [
      'a scenario of the same name',
      scenarioIn('scenarios/exit-zero', 'exit-zero'),
      ['scenarios/exit-zero beside whodunit/scenarios/exit-zero', 'replaces: { scenarios: [exit-zero] }'],
    ],
    [
      'a bug of the same name',
      { 'bugs/supercronic-zombies.yaml': shippedText('bugs/supercronic-zombies.yaml') },
      ['bugs/supercronic-zombies.yaml beside whodunit/bugs/supercronic-zombies.yaml'],
    ],
    [
      'two scenarios of one name in folders',
      { ...scenarioIn('scenarios/a/one', 'one'), ...scenarioIn('scenarios/b/one', 'one') },
      ['scenarios/a/one/scenario.yaml', 'scenarios/b/one too'],
    ],
    [
      'a set of the same name',
      { 'matrix.yaml': `formatVersion: 1\n${OWN_SET.replace('mine:', 'quick:')}\n` },
      ['matrix.yaml:2 | sets.quick', 'whodunit/matrix.yaml'],
    ],
    [
      'a value that is there',
      { 'matrix.yaml': 'formatVersion: 1\naxes:\n  cgroup: { values: [v1] }\n' },
      ['matrix.yaml:3 | axes.cgroup.values.0', 'whodunit/matrix.yaml'],
    ],
    [
      'an own set that names no scenario, in the file that has it',
      { 'matrix.yaml': `formatVersion: 1\n${OWN_SET.replace('exit-one', 'exit-oen')}\n` },
      ['matrix.yaml:2 | sets.mine.blocks.0.scenarios', '"exit-oen"'],
    ],
    [
      'an own rule that names no value, counted in the file that has it',
      {
        'matrix.yaml': `formatVersion: 1
rules:
  - { id: one, when: { cgroup: [v9] }, reason: not here, source: 'https://example.com/x', proof: proven }
`,
      },
      ['matrix.yaml:3 | rules.0.when'],
    ],
    [
      'a field of a component that whodunit has',
      { 'components.yaml': 'formatVersion: 1\ncomponents:\n  crun: { about: mine, versions: {} }\n' },
      ['components.yaml:3 | components.crun.about', 'only `versions`'],
    ],
    [
      'a component that is not whole',
      {
        'components.yaml': "formatVersion: 1\ncomponents:\n  mine: { about: mine, versions: { '1': '1' } }\n",
      },
      ['components.yaml:3 | components.mine.sources'],
    ],
    [
      'a replaced name that the catalogue does not have',
      { 'whodunit.yaml': `${PROJECT_TEXT}replaces: { scenarios: [exit-zeroo] }\n` },
      ['whodunit.yaml:2 | replaces.scenarios.0', 'a name of whodunit/scenarios/'],
    ],
    [
      'a replaced name that the project does not have',
      { 'whodunit.yaml': `${PROJECT_TEXT}replaces: { rules: [nothing], sets: [quick] }\n` },
      ['replaces.rules.0', 'replaces.sets.0', 'under `sets` of matrix.yaml'],
    ],
    [
      'an unknown setting',
      { 'whodunit.yaml': `${PROJECT_TEXT}replace: {}\n` },
      ['whodunit.yaml:2 | replace'],
    ],
  ];
  it.each(cases)('%s', (_what, files, said) => {
    const found = problems(files).join('\n');
    for (const part of said) expect(found).toContain(part);
  });

  it('names the file of the catalogue where the mistake is there', () => {
    const wrong = { file: 'matrix.yaml', path: 'sets.quick', expected: 'x', received: 'y' };
    expect(placeInProject(layered({}), [wrong])[0]).toMatchObject({ file: 'whodunit/matrix.yaml' });
  });
});
