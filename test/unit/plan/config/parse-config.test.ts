import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STOP_SIGNAL_IMAGE, WORKLOADS_IMAGE } from '../../../../provision/image/container-images.ts';
import { configWith, problemsAfter, problemsWith, PROJECT, shippedText } from '../../project-files.ts';

const EATER = 'scenarios/oom-single-container/scenario.yaml';

describe('the shipped configuration', () => {
  it('is valid and has a scenario for each folder', () => {
    const names = configWith().scenarios.map(({ scenario }) => scenario.name);
    expect(names).toEqual(readdirSync(join(PROJECT, 'scenarios')).sort());
    expect(names).toContain('oom-single-container');
  });

  it('pulls only what the registry of its cell holds, and has every other image on the nodes', () => {
    for (const { scenario, manifests, later } of configWith().scenarios) {
      const text = JSON.stringify([manifests, later]);
      const pulled = (scenario.registry?.images ?? []).map(({ image }) => image);
      const known = [WORKLOADS_IMAGE, STOP_SIGNAL_IMAGE, ...scenario.images.map(({ image }) => image)];
      const used = /"image":"(?<image>[^"]*)","imagePullPolicy":"(?<policy>[^"]*)"/g;
      const images = [...text.matchAll(used)].map(({ groups }) => ({ ...groups }));
      expect(images, scenario.name).toHaveLength(text.split('"image":').length - 1);
      for (const { image = '', policy } of images) {
        expect([...pulled, ...known], scenario.name).toContain(image);
        expect(policy, scenario.name).toBe(pulled.includes(image) ? 'IfNotPresent' : 'Never');
      }
    }
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
    expect(problemsWith({ [EATER]: text })).toEqual([
      expect.objectContaining({ file: EATER, path: 'expect.withinSecond', nearest: 'withinSeconds' }),
    ]);
  });

  it('names an unknown killer with the nearest one', () => {
    const text = shippedText(EATER).replace('killer: memcg-oom', 'killer: memcg-om');
    expect(problemsWith({ [EATER]: text })[0]).toMatchObject({
      path: 'expect.killer',
      received: '"memcg-om"',
      nearest: 'memcg-oom',
    });
  });

  it('names an unknown field inside a stimulus, below a list and a union', () => {
    const path = 'scenarios/sigkill-from-node/scenario.yaml';
    const text = shippedText(path).replace('afterSeconds', 'afterSecond');
    expect(problemsWith({ [path]: text })[0]).toMatchObject({
      path: 'stimulus.0.afterSecond',
      nearest: 'afterSeconds',
    });
  });

  it('reports every problem of every file at once', () => {
    const problems = problemsWith({
      [EATER]: shippedText(EATER).replace('killer: memcg-oom', 'killer: nobody'),
      'scenarios/plain-exit/scenario.yaml': shippedText('scenarios/plain-exit/scenario.yaml').replace(
        'name: plain-exit',
        'name: plain-exits',
      ),
      'matrix.yaml': shippedText('matrix.yaml').replace(
        "runtime: ['runsc@apt*'], os: [bullseye]",
        "runtime: ['runsc@apt*'], os: [bullsey]",
      ),
    });
    expect(problems.map((problem) => `${problem.file} ${problem.path}`)).toEqual([
      `${EATER} expect.killer`,
      'scenarios/plain-exit/scenario.yaml name',
      expect.stringMatching(/^matrix\.yaml rules\.\d+\.when\.os\.0$/),
    ]);
    expect(problems.at(-1)?.nearest).toBe('bullseye');
  });

  it('says line and column of broken YAML', () => {
    expect(() => configWith({ [EATER]: 'formatVersion: 1\nname: [oom\n' })).toThrow(
      `${EATER}:3:1: expected the end of what was opened: `,
    );
  });

  it('misses a scenario.yaml, its manifests, the victim in them, and the matrix', () => {
    expect(problemsWith({ [EATER]: undefined })[0]).toMatchObject({ file: EATER, expected: 'a file' });
    expect(problemsWith({ 'scenarios/plain-exit/manifests/pod.yaml': undefined })).toEqual([
      {
        file: 'scenarios/plain-exit/manifests',
        path: '',
        expected: 'Kubernetes objects',
        received: 'nothing',
      },
    ]);
    const other = shippedText('scenarios/plain-exit/manifests/pod.yaml').replace(
      /name: quitter(?=\n +image)/,
      'name: quiter',
    );
    expect(problemsWith({ 'scenarios/plain-exit/manifests/pod.yaml': other })).toMatchObject([
      { path: 'victim.container', received: '"quitter"', nearest: 'quiter' },
    ]);
    expect(problemsWith({ 'matrix.yaml': undefined })[0]).toMatchObject({
      file: 'matrix.yaml',
      expected: 'a file',
    });
  });

  it('refuses an axis whose first value is not the default of the engine', () => {
    const text = shippedText('matrix.yaml').replace('values: [v2, v1]', 'values: [v1, v2]');
    expect(problemsWith({ 'matrix.yaml': text })[0]).toMatchObject({
      path: 'axes.cgroup.values.0',
      received: '"v1"',
    });
  });

  it('refuses a named value that its axis cannot read', () => {
    expect(problemsAfter('matrix.yaml', 'values: [v2, v1]', 'values: [v2, v3]')).toContainEqual({
      file: 'matrix.yaml',
      path: 'axes.cgroup.values.1',
      expected: 'a value that the axis cgroup can read',
      received: '"v3"',
    });
  });

  it('refuses a named value that is called like one of another axis', () => {
    expect(problemsAfter('matrix.yaml', '      - qps-5\n', '      - qps-5\n      - v1\n')).toContainEqual({
      file: 'matrix.yaml',
      path: expect.stringMatching(/^axes\.knobs\.values\.\d+$/) as string,
      expected: 'a value whose name is not a value of another axis',
      received: '"v1"',
    });
  });

  it('refuses an unknown axis in the matrix and a missing one', () => {
    const text = shippedText('matrix.yaml').replace('  knobs:\n    about', '  knob:\n    about');
    const paths = problemsWith({ 'matrix.yaml': text }).map((problem) => problem.path);
    expect(paths).toEqual(['axes.knob']);
  });

  it.each([
    ["kubernetes: ['>=1.26']", "kubernetes: ['>=1.26.x']", 'kubernetes', undefined],
    ["containerdVersion: ['<1.6']", "containerdVersion: ['<w1.6']", 'containerdVersion', undefined],
    ["kernelSuite: ['{os}']", "kernelSuite: ['{oss}']", 'kernelSuite', 'os'],
    [
      'knobs: [fail-cgroup-v1] }\n    reason',
      'knobs: [fail-cgroup-v2] }\n    reason',
      'knobs',
      'fail-cgroup-v1',
    ],
  ])('refuses a condition that cannot hold: %s as %s', (piece, other, key, nearest) => {
    expect(problemsAfter('matrix.yaml', piece, other)).toEqual([
      expect.objectContaining({
        path: expect.stringMatching(new RegExp(`^rules\\.\\d+\\.when\\.${key}\\.0$`)) as string,
        ...(nearest === undefined ? {} : { nearest }),
      }),
    ]);
  });

  it('refuses a condition over something that is neither axis nor fact', () => {
    expect(problemsAfter('matrix.yaml', 'containerdVersion: [', 'containerdVersoin: [')[0]).toMatchObject({
      nearest: 'containerdVersion',
    });
  });

  it('misses what a suite ships, what a bundle sets, and a kernel that no suite has', () => {
    expect(
      problemsAfter('matrix.yaml', "  sid: { kernel: '7.2'", "  sit: { kernel: '7.2'").map(
        ({ path }) => path,
      ),
    ).toEqual(['suites.sit', expect.stringMatching(/^axes\.kernel\.values\.\d$/)]);
    expect(problemsAfter('matrix.yaml', '  none: { about', '  non: { about').map(({ path }) => path)).toEqual(
      ['knobs.non'],
    );
    expect(problemsAfter('matrix.yaml', '6.12@trixie', '6.13@trixie')[0]).toMatchObject({
      path: expect.stringMatching(/^axes\.kernel\.values\.\d$/) as string,
    });
  });

  it('refuses two statements of one name', () => {
    expect(problemsAfter('matrix.yaml', 'id: drivers-healed', 'id: v1-needs-memcg-v1')[0]).toMatchObject({
      path: 'notes.0.id',
      expected: 'a unique id',
    });
  });
});
