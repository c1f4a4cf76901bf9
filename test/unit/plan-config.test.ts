import { describe, expect, it } from 'vitest';
import { ConfigError, type ConfigProblem } from '../../lab/model/errors.ts';
import { configWith, shippedText } from './project-files.ts';

const EATER = 'scenarios/oom-single-container/scenario.yaml';

function problemsOf(changes: Record<string, string | undefined>): readonly ConfigProblem[] {
  try {
    configWith(changes);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the shipped configuration', () => {
  it('is valid and has the five scenarios of the main path', () => {
    expect(configWith().scenarios.map(({ scenario }) => scenario.name)).toEqual([
      'cron-job-oom',
      'oom-single-container',
      'plain-exit',
      'sigkill-from-node',
      'within-limits',
    ]);
  });

  it('deploys only the preloaded workload image and never pulls', () => {
    const text = JSON.stringify(configWith().scenarios.map(({ manifests }) => manifests));
    const images = [...text.matchAll(/"image":"([^"]*)","imagePullPolicy":"([^"]*)"/g)].map((m) =>
      m.slice(1),
    );
    expect(images).toHaveLength(5);
    expect(new Set(images.flat())).toEqual(new Set(['whodunit.local/workloads:1', 'Never']));
  });

  it('watches every cell at least as long as its death may take', () => {
    for (const { scenario } of configWith().scenarios) {
      const needed = scenario.expect.withinSeconds ?? scenario.expect.survivesSeconds ?? 0;
      expect(scenario.timeoutSeconds, scenario.name).toBeGreaterThan(needed);
    }
  });
});

describe('a broken configuration', () => {
  it('names an unknown field with the nearest one', () => {
    const text = shippedText(EATER).replace('withinSeconds:', 'withinSecond:');
    expect(problemsOf({ [EATER]: text })).toEqual([
      expect.objectContaining({ file: EATER, path: 'expect.withinSecond', nearest: 'withinSeconds' }),
    ]);
  });

  it('names an unknown killer with the nearest one', () => {
    const text = shippedText(EATER).replace('killer: memcg-oom', 'killer: memcg-om');
    expect(problemsOf({ [EATER]: text })[0]).toMatchObject({
      path: 'expect.killer',
      received: '"memcg-om"',
      nearest: 'memcg-oom',
    });
  });

  it('names an unknown field inside a stimulus, below a list and a union', () => {
    const path = 'scenarios/sigkill-from-node/scenario.yaml';
    const text = shippedText(path).replace('afterSeconds', 'afterSecond');
    expect(problemsOf({ [path]: text })[0]).toMatchObject({
      path: 'stimulus.0.afterSecond',
      nearest: 'afterSeconds',
    });
  });

  it('reports every problem of every file at once', () => {
    const problems = problemsOf({
      [EATER]: shippedText(EATER).replace('killer: memcg-oom', 'killer: nobody'),
      'scenarios/plain-exit/scenario.yaml': shippedText('scenarios/plain-exit/scenario.yaml').replace(
        'name: plain-exit',
        'name: plain-exits',
      ),
      'matrix.yaml': shippedText('matrix.yaml').replace(
        'unless: { os: [bookworm] }',
        'unless: { os: [bookwurm] }',
      ),
    });
    expect(problems.map((problem) => `${problem.file} ${problem.path}`)).toEqual([
      `${EATER} expect.killer`,
      'scenarios/plain-exit/scenario.yaml name',
      expect.stringMatching(/^matrix\.yaml rules\.\d+\.unless\.os$/),
    ]);
    expect(problems.at(-1)?.nearest).toBe('bookworm');
  });

  it('says line and column of broken YAML', () => {
    const [problem] = problemsOf({ [EATER]: 'formatVersion: 1\nname: [oom\n' });
    expect(problem).toMatchObject({ file: EATER, path: expect.stringMatching(/^line 3, column/) as string });
  });

  it('misses a scenario.yaml, its manifests, the victim in them, and the matrix', () => {
    expect(problemsOf({ [EATER]: undefined })[0]).toMatchObject({ file: EATER, expected: 'a file' });
    expect(problemsOf({ 'scenarios/plain-exit/manifests/pod.yaml': undefined })).toEqual([
      {
        ...{ file: 'scenarios/plain-exit/manifests', path: '' },
        ...{ expected: 'Kubernetes objects', received: 'nothing' },
      },
    ]);
    const other = 'apiVersion: v1\nkind: Pod\nspec: { containers: [{ name: quiter }] }\n';
    expect(problemsOf({ 'scenarios/plain-exit/manifests/pod.yaml': other })).toMatchObject([
      { path: 'victim.container', received: '"quitter"', nearest: 'quiter' },
    ]);
    expect(problemsOf({ 'matrix.yaml': undefined })[0]).toMatchObject({
      file: 'matrix.yaml',
      expected: 'a file',
    });
  });

  it('refuses an axis whose first value is not the default of the engine', () => {
    const text = shippedText('matrix.yaml').replace('values: [v2, v1]', 'values: [v1, v2]');
    expect(problemsOf({ 'matrix.yaml': text })[0]).toMatchObject({
      path: 'axes.cgroup.values.0',
      received: '"v1"',
    });
  });

  it('refuses an unknown axis in the matrix and a missing one', () => {
    const text = shippedText('matrix.yaml').replace('  knobs:\n    about', '  knob:\n    about');
    const paths = problemsOf({ 'matrix.yaml': text }).map((problem) => problem.path);
    expect(paths).toContain('axes.knobs');
  });
});
