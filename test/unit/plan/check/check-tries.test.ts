import { describe, expect, it } from 'vitest';
import { problemsOfScenario, shippedWith } from '../../project-files.ts';

const folder = 'scenarios/oom-label-tries';
const file = `${folder}/scenario.yaml`;
const pod = `${folder}/manifests/pod.yaml`;

/** Problems of the shipped scenario with a piece of it replaced. */
const after = (piece: string, other: string, path = file): readonly string[] =>
  problemsOfScenario(shippedWith(path, piece, other)).map(
    ({ path: at, expected, received }) => `${at}: ${expected}; ${received}`,
  );

describe('a scenario with tries', () => {
  it('is right as it is shipped', () => {
    expect(after('', '')).toEqual([]);
  });

  it.each([
    ['attempt: 2', 'attempt', '2'],
    ['then: stays-dead', 'then', '"stays-dead"'],
  ])('says nothing about one death only: %s', (field, path, received) => {
    expect(after('  exitCode: [137]', `  exitCode: [137]\n  ${field}`)).toEqual([
      `expect.${path}: nothing about one death only, beside \`tries\`; ${received}`,
    ]);
  });

  it('waits for deaths', () => {
    const none = {
      from: '  killer: memcg-oom\n  level: [container, pod]\n  reason: [OOMKilled, Error]\n  exitCode: [137]\n  withinSeconds: 60',
      to: '  killer: none\n  survivesSeconds: 5',
    };
    expect(after(none.from, none.to)).toEqual([
      'expect.killer: a death, which `tries` counts; "none"',
      'expect.survivesSeconds: nothing about one death only, beside `tries`; 5',
    ]);
  });

  it.each([
    ['neither', 'tries: {}'],
    ['both', 'tries: { pods: 20, restarts: 20 }'],
  ])('has exactly one of pods and restarts, not %s', (_, tries) => {
    expect(after('tries: { pods: 20 }', tries)).toEqual([
      expect.stringContaining('exactly one of pods and restarts'),
    ]);
  });

  it.each(['1', '1001', '2.5'])('has a number of deaths that makes sense, not %s', (count) => {
    expect(after('pods: 20', `pods: ${count}`)).toEqual([expect.stringMatching(/^tries\.pods: /)]);
  });

  it.each([
    [
      'tries: { restarts: 20 }',
      file,
      'tries: { pods: 20 }',
      'tries.restarts: a pod that restarts its containers; restartPolicy Never',
    ],
    [
      'restartPolicy: Always',
      pod,
      'restartPolicy: Never',
      'tries.pods: restartPolicy Never of the pod, of which another one follows; "Always"',
    ],
  ])('fits the policy of its pod: %s', (other, path, piece, problem) => {
    expect(after(piece, other, path)).toEqual([problem]);
  });

  it.each([
    ['node-signal', 'kind: node-signal, signal: SIGKILL', 'kind'],
    ['delete-pod', 'kind: delete-pod', 'kind'],
  ])('has no stimulus that comes once: %s', (kind, stimulus) => {
    expect(after('timeoutSeconds:', `stimulus: [{ ${stimulus} }]\n\ntimeoutSeconds:`)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`^stimulus\\.0\\.kind: one of node-command, .*; ${kind}$`)),
      ]),
    );
  });

  it('counts no time from a stimulus', () => {
    const stimulus = 'stimulus: [{ kind: node-command, about: it, script: "true" }]\n\ntimeoutSeconds:';
    expect(after('timeoutSeconds:', stimulus)).toEqual([
      'expect.withinSeconds: nothing about one death only, beside `tries`; 60',
    ]);
  });
});

describe('a share', () => {
  const SHARE = '{ reason: OOMKilled, atLeast: 0.5 }';

  it('is of the deaths of tries', () => {
    expect(after('tries: { pods: 20 }', '')).toEqual([
      'expect.shares: `tries`, of whose deaths it is a share; none',
      'variants.0.expect.shares: `tries`, of whose deaths it is a share; none',
    ]);
  });

  it.each([
    ['{ reason: OOMKilled, atLeast: 0.9 }', 'at least 35, if all of them are as hoped', 'at least 90 %'],
    ['{ reason: OOMKilled, atMost: 0.01 }', 'at least 381, if all of them are as hoped', 'at most 1 %'],
    [
      '{ reason: OOMKilled, atLeast: 0.4, atMost: 0.41 }',
      'not even 1000 settle it',
      'at least 40 % and at most 41 %',
    ],
  ])('is one that so many deaths can settle, not %s', (share, why, said) => {
    expect(after(SHARE, share)).toEqual([
      `expect.shares.0: a share that 20 deaths can settle (${why}); reason OOMKilled in ${said} of the deaths`,
    ]);
  });

  it.each([
    ['{ atLeast: 0.5 }', 'exactly one of killer, reason and exitCode'],
    ['{ reason: Error, exitCode: 1, atLeast: 0.5 }', 'exactly one of killer, reason and exitCode'],
    ['{ reason: OOMKilled }', 'atLeast, atMost, or both'],
    ['{ reason: OOMKilled, atLeast: 0.5, atMost: 0.5 }', 'more than atLeast'],
    ['{ reason: OOMKilled, atLeast: 1 }', 'atLeast'],
    ['{ reason: OOMKilled, atMost: 0 }', 'atMost'],
    ['{ reason: OomKilled, atLeast: 0.5 }', 'OOMKilled'],
    ['{ killer: memcg-omm, atLeast: 0.5 }', 'killer'],
  ])('is written as one can be counted, not as %s', (share, said) => {
    const problems = after(SHARE, share);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(said);
  });
});
