import { describe, expect, it } from 'vitest';
import { ConfigError, type ConfigProblem } from '../../../../lab/model/errors/errors.ts';
import type { LoadedScenario } from '../../../../lab/model/declared/scenario.ts';
import { fillScenario } from '../../../../lab/plan/parameters/fill-scenario.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith, problemsOfScenario, scenarioWith, shippedWith } from '../../project-files.ts';
import { FILE, MANIFEST, POD, SCENARIO, VARIED } from '../varied-scenario.ts';

const load = (): LoadedScenario => scenarioWith(VARIED);

/** The problems after a piece of one of the two files, which must be there, was replaced. */
function problemsOf(file: string, piece: string, other: string): readonly ConfigProblem[] {
  const text = VARIED[file] ?? '';
  if (!text.includes(piece)) throw new Error(`${file} does not have ${piece}`);
  return problemsOfScenario({ ...VARIED, [file]: text.replace(piece, other) });
}

describe('a parameter', () => {
  it('stands in manifests and in the scenario, a number as a number where it is the whole field', () => {
    const { manifests, scenario, parameters } = load();
    expect(parameters).toEqual({ limit: '128Mi', uid: '0', version: '1.10' });
    expect(manifests[0]).toMatchObject({
      spec: {
        securityContext: { runAsUser: 0 },
        containers: [{ command: ['/bin/sleeper', 'v1.10', '$(POD_IP)', '${limit}'] }],
      },
    });
    expect(scenario.expect.exitCode).toEqual([0]);
    expect(scenario.stimulus[0]).toMatchObject({ command: ['/bin/sleeper', '--after=1.10'] });
  });

  it('is a variable in a script, which is left as it is', () => {
    expect(load().scenario.stimulus[1]).toMatchObject({ script: 'echo ${limit%Mi} ${version} ${other:-1}' });
  });

  it('gives another scenario with another value, and a value of its patterns', () => {
    const other = fillScenario(load(), { uid: '100', version: '1.11' });
    expect(other.parameters).toEqual({ limit: '128Mi', uid: '100', version: '1.11' });
    expect(other.manifests[0]).toMatchObject({ spec: { securityContext: { runAsUser: 100 } } });
    expect(other.scenario.expect.exitCode).toEqual([100]);
  });
});

describe('an image that only one scenario needs', () => {
  const images =
    "images: [{ image: 'whodunit.local/tool:${version}', component: containerd, version: '${version}.0' }]";
  const manifest = MANIFEST.replace('workloads:1', 'tool:${version}');

  it('is named by a parameter, of any version that it accepts', () => {
    const files = { [FILE]: `${SCENARIO}${images}\n`, [POD]: manifest };
    const { scenario, manifests } = fillScenario(scenarioWith(files), { version: '2.7' });
    expect(scenario.images).toEqual([
      { image: 'whodunit.local/tool:2.7', component: 'containerd', version: '2.7.0', also: [] },
    ]);
    expect(JSON.stringify(manifests)).toContain('"image":"whodunit.local/tool:2.7"');
  });

  it('must be run by a container, and have a name of its own', () => {
    const unused = problemsOfScenario({ ...VARIED, [FILE]: `${SCENARIO}${images}\n` });
    expect(unused).toMatchObject([
      {
        path: 'images.0.image',
        expected: 'an image of some container',
        received: '"whodunit.local/tool:1.10"',
      },
    ]);
    const twice = images.replace(']', `, ${/{ .* }/.exec(images)?.[0]}]`);
    expect(problemsOfScenario({ [FILE]: `${SCENARIO}${twice}\n`, [POD]: manifest })).toMatchObject([
      { path: 'images.1.image', expected: 'a name of its own' },
    ]);
  });

  it('is made of a component and a version that are known: all that are not are told, with the nearest name', () => {
    const several = `images:
  - { image: 'whodunit.local/tool:\${version}', component: containred, version: 1.7.0 }
  - { image: whodunit.local/other:1, component: containerd, version: apt }
  - { image: whodunit.local/third:1, component: kubernetes, version: '1.34x' }
`;
    const containers = ['other:1', 'third:1'].map(
      (name) => `    - { name: ${name.replace(':', '-')}, image: 'whodunit.local/${name}' }\n`,
    );
    const files = { [FILE]: `${SCENARIO}${several}`, [POD]: `${manifest}${containers.join('')}` };
    expect(problemsOfScenario(files)).toEqual([
      {
        file: FILE,
        path: 'images.0.component',
        expected: 'the name of a component in components.yaml',
        received: '"containred"',
        nearest: 'containerd',
      },
      {
        file: FILE,
        path: 'images.1.version',
        received: '"apt"',
        expected: 'a version of containerd that can be built or downloaded',
      },
      {
        file: FILE,
        path: 'images.2.version',
        received: '"1.34x"',
        nearest: '1.34',
        expected: 'a version of kubernetes that can be built or downloaded',
      },
    ]);
  });

  it('of a version that a pattern accepts and no source has is refused before anything starts', () => {
    const config = configWith({ [FILE]: `${SCENARIO}${images}\n`, [POD]: manifest });
    expect(planCells(config, ['default/varied[version=2.7]']).cells).toHaveLength(1);
    const plan = (): unknown =>
      planCells(config, ['default/varied[version=1.1]', 'default/varied[version=1.2]']);
    expect(plan).toThrow(ConfigError);
    expect(plan).toThrow(
      /images\.0\.version: .*received "1\.1\.0".*images\.0\.version: .*received "1\.2\.0"/s,
    );
  });
});

describe('an amount of a resource', () => {
  const amountIn = (other: string): readonly ConfigProblem[] =>
    problemsOf(POD, "{ memory: '${limit}' }", `{ memory: ${other}, ephemeral-storage: '\${limit}' }`);

  it.each(['64Mi', '1e6', '1.5G', '128974848', "'0'"])('may be %s', (amount) =>
    expect(amountIn(amount)).toEqual([]),
  );

  it.each([
    ['64MiB', '64Mi'],
    ['64mi', '64Mi'],
    ['2 GB', '2Gi'],
    ['64x', undefined],
    ['much', undefined],
  ])('is refused in an unknown unit before anything starts: %s', (amount, nearest) => {
    const path = 'document 1.spec.containers.0.resources.limits.memory';
    expect(amountIn(amount)).toMatchObject([{ file: POD, path, received: `"${amount}"` }]);
    expect(amountIn(amount)[0]?.nearest).toBe(nearest);
  });

  it('is refused under any value of a parameter, in a stimulus and as the size of a volume', () => {
    expect(problemsOf(FILE, 'values: [64Mi, 128Mi]', 'values: [64Mi, 64MB, 128Mi]')).toMatchObject([
      { received: '"64MB"', nearest: '64Mi' },
    ]);
    const resize = 'scenarios/resize-restart/scenario.yaml';
    expect(problemsOfScenario(shippedWith(resize, 'memory: 96Mi', 'memory: 96Mb'))).toMatchObject([
      { path: 'stimulus.0.spec.containers.0.resources.requests.memory', nearest: '96Mi' },
    ]);
    const volume = 'scenarios/eviction-empty-dir/manifests/pod.yaml';
    expect(problemsOfScenario(shippedWith(volume, 'sizeLimit: 20Mi', 'sizeLimit: 20Mo'))).toMatchObject([
      { nearest: '20Mi' },
    ]);
  });
});

describe('a mistake about parameters', () => {
  it('names a name in a manifest that is not declared, with the nearest one', () => {
    expect(problemsOf(POD, "memory: '${limit}'", "memory: '${limits}'")).toEqual([
      {
        file: POD,
        path: 'document 1.spec.containers.0.resources.limits.memory',
        expected: 'one of the parameters limit, uid, version ($${…} is the text ${…})',
        received: '${limits}',
        nearest: 'limit',
      },
    ]);
  });

  it('names a parameter that no file uses', () => {
    expect(problemsOf(POD, "runAsUser: '${uid}'", 'runAsUser: 0')).toEqual([]);
    const twice = SCENARIO.replace("'${uid}'", '0');
    const manifest = MANIFEST.replace("'${uid}'", '0');
    expect(problemsOfScenario({ [FILE]: twice, [POD]: manifest })).toEqual([
      { file: FILE, path: 'parameters.uid', expected: '${uid} in some file of it', received: 'nothing' },
    ]);
  });

  it('counts a variable of a script as a use', () => {
    const manifest = MANIFEST.replace("{ memory: '${limit}' }", '{ memory: 64Mi }');
    expect(problemsOfScenario({ ...VARIED, [POD]: manifest })).toEqual([]);
    const script = SCENARIO.replace('${limit%Mi}', '$limits');
    expect(problemsOfScenario({ [FILE]: script, [POD]: manifest })).toEqual([
      expect.objectContaining({ path: 'parameters.limit' }),
    ]);
  });

  it.each([
    ['os', 'an axis'],
    ['kernelVersion', 'a fact'],
    ['set', 'a word of selectors'],
  ])('names the name %s, which is %s already', (name, what) => {
    const scenario = SCENARIO.replaceAll('uid', name);
    const manifest = MANIFEST.replaceAll('uid', name);
    expect(problemsOfScenario({ [FILE]: scenario, [POD]: manifest })).toEqual([
      {
        file: FILE,
        path: `parameters.${name}`,
        expected: 'a name of its own',
        received: `"${name}", ${what}`,
      },
    ]);
  });

  it('names a default that is no value', () => {
    expect(problemsOf(FILE, 'default: 128Mi', 'default: 129Mi')).toEqual([
      {
        file: FILE,
        path: 'parameters.limit.default',
        expected: 'one of 64Mi, 128Mi',
        received: '"129Mi"',
        nearest: '128Mi',
      },
    ]);
  });

  it('names a value that an address could not hold, and a release that YAML took for a number', () => {
    expect(problemsOf(FILE, '[64Mi, 128Mi]', "['64 Mi', 128Mi]")).toMatchObject([
      { file: FILE, path: 'parameters.limit.values.0', received: '"64 Mi"' },
    ]);
    expect(problemsOf(FILE, "values: ['1.10']", 'values: [1.10]')).toMatchObject([
      { file: FILE, path: 'parameters.version.values.0', received: '1.1' },
    ]);
  });

  it('is found under every value, not only under the default', () => {
    expect(problemsOf(FILE, 'values: [0, 100]', 'values: [0, root]')).toMatchObject([
      { file: FILE, path: 'expect.exitCode.0', received: '"root"' },
    ]);
  });

  it('names a condition on a parameter or a value that there is not', () => {
    expect(problemsOf(FILE, 'when: { limit: [64Mi] }', 'when: { limt: [64Mi] }')).toMatchObject([
      { file: FILE, path: 'variants.0.when.limt', received: '"limt"', nearest: 'limit' },
    ]);
    expect(problemsOf(FILE, 'when: { limit: [64Mi] }', 'when: { limit: [65Mi] }')).toMatchObject([
      { file: FILE, path: 'variants.0.when.limit.0', expected: 'a value of limit', nearest: '64Mi' },
    ]);
  });
});
