import { describe, expect, it } from 'vitest';
import type { ConfigProblem } from '../../../../lab/model/errors/errors.ts';
import { problemsOfScenario, problemsWith, scenarioWith } from '../../project-files.ts';

const FILE = 'scenarios/measured/scenario.yaml';
const SCRIPT = 'scenarios/measured/samplers/count.sh';
const POD = 'scenarios/measured/manifests/pod.yaml';

const SCENARIO = `
formatVersion: 1
name: measured
title: A pod that is measured.
victim: { selector: app=measured, container: main }
parameters:
  every: { about: how often, values: [1, 2], default: 1 }
samplers:
  - { name: count, file: count.sh, everySeconds: 2 }
  - { name: inline, script: 'echo "pids $every"', everySeconds: 1 }
expect:
  killer: none
  survivesSeconds: 60
  measures:
    - { measure: zombies, statistic: slope, atLeast: 30, bySeconds: 60, reason: one a second }
    - { measure: pids, atMost: 9, reason: it is small }
variants:
  - { when: { every: ['2'] }, expect: { measures: [{ measure: zombies, atMost: 0, reason: fixed }] } }
makeItFail: It cannot.
`;
const MANIFEST = `
apiVersion: v1
kind: Pod
metadata: { name: measured, labels: { app: measured } }
spec: { containers: [{ name: main, image: 'whodunit.local/workloads:1' }] }
`;
const FILES = { [FILE]: SCENARIO, [POD]: MANIFEST, [SCRIPT]: 'echo "zombies 3"\n' };

const after = (from: string, to: string): readonly ConfigProblem[] => {
  if (!SCENARIO.includes(from)) throw new Error(`the scenario does not have ${from}`);
  return problemsOfScenario({ ...FILES, [FILE]: SCENARIO.replace(from, to) });
};

describe('a scenario that measures', () => {
  it('has its samplers with their scripts, and defaults', () => {
    expect(problemsWith(FILES)).toEqual([]);
    const { samplers, scenario } = scenarioWith(FILES);
    expect(samplers).toEqual([
      { name: 'count', script: 'echo "zombies 3"\n', everySeconds: 2, timeoutSeconds: 10, on: 'all-nodes' },
      { name: 'inline', script: 'echo "pids $every"', everySeconds: 1, timeoutSeconds: 10, on: 'all-nodes' },
    ]);
    expect(scenario.expect.measures?.[1]).toMatchObject({ statistic: 'last' });
  });

  it('is refused with a number of samples for what is told by every change of it', () => {
    const bound = (samples: string): string =>
      `measure: oom-events, atMost: 9${samples}, reason: it is small`;
    const from = 'measure: pids, atMost: 9, reason: it is small';
    expect(after(from, bound(', samples: 3'))).toEqual([
      {
        file: FILE,
        path: 'expect.measures.1.samples',
        expected: 'no `samples`: every change of oom-events is told, and one is enough',
        received: '3',
      },
    ]);
    expect(after(from, bound(''))).toEqual([]);
    expect(after(from, 'measure: pids, atMost: 9, samples: 3, reason: it is small')).toEqual([]);
  });

  it('is refused with the nearest name of a measure, and without a reason', () => {
    expect(after('measure: zombies, statistic', 'measure: zombie, statistic')[0]).toMatchObject({
      path: 'expect.measures.0.measure',
      received: '"zombie"',
      nearest: 'zombies',
    });
    expect(after(', reason: it is small', '')).toMatchObject([
      { path: 'expect.measures.1.reason', expected: 'text', received: 'nothing' },
    ]);
    expect(after('reason: it is small', "reason: ''")).toMatchObject([{ path: 'expect.measures.1.reason' }]);
    expect(after('statistic: slope', 'statistic: slop')[0]).toMatchObject({ nearest: 'slope' });
  });

  it('is refused with a unit: a bound has that of its measure', () => {
    const expected = 'only a number, in the unit of the measure';
    expect(after('atMost: 9', 'atMost: 9 s')).toMatchObject([
      { path: 'expect.measures.1.atMost', expected, received: '"9 s"' },
    ]);
    expect(after('atMost: 9', 'between: [1, 9s]')[0]).toMatchObject({ expected, received: '"9s"' });
    expect(after('atMost: 9', 'atMost: 9, unit: s')[0]).toMatchObject({ path: 'expect.measures.1.unit' });
  });

  it('is refused without the heartbeat that measures what it expects', () => {
    const gap = 'measure: heartbeat-gap-s, atMost: 9, reason: it is small';
    expect(after('measure: pids, atMost: 9, reason: it is small', gap)).toMatchObject([
      { path: 'expect.measures.1.measure', expected: 'a `heartbeat`, which measures heartbeat-gap-s' },
    ]);
    const asked = SCENARIO.replace('measure: pids, atMost: 9, reason: it is small', gap);
    expect(problemsWith({ ...FILES, [FILE]: `${asked}heartbeat: {}\n` })).toEqual([]);
  });

  it('is refused with bounds that nothing can meet', () => {
    expect(after('atMost: 9', 'atMost: 9, atLeast: 10')[0]?.expected).toBe(
      'exactly one of atLeast, atMost and between',
    );
    expect(after('atMost: 9, ', '')[0]?.expected).toBe('exactly one of atLeast, atMost and between');
    expect(after('atMost: 9', 'between: [9, 3]')[0]).toMatchObject({ expected: 'the smaller number first' });
    expect(after('atMost: 9', 'atMost: -1')).toMatchObject([
      { path: 'expect.measures.1.atMost', expected: 'a number between 0 and 4194304', received: '-1' },
    ]);
    expect(after('bySeconds: 60', 'bySeconds: 61')[0]).toMatchObject({
      path: 'expect.measures.0.bySeconds',
      received: '61',
    });
    const rival = '{ measure: pids, atLeast: 10, reason: it is large }';
    expect(after('reason: it is small }', `reason: it is small }\n    - ${rival}`)).toMatchObject([
      {
        path: 'expect.measures.2.measure',
        received: 'last of pids at least 10 beside last of pids at most 9',
      },
    ]);
  });

  it('is refused with samplers that cannot print what is expected', () => {
    expect(after('file: count.sh', 'file: counts.sh')).toContainEqual(
      expect.objectContaining({ path: 'samplers.0.file', received: '"counts.sh"', nearest: 'count.sh' }),
    );
    expect(after('name: inline', 'name: count')).toMatchObject([
      { path: 'samplers.1.name', expected: 'a name of its own' },
    ]);
    expect(after('echo "pids $every"', 'echo "pid $every"')).toMatchObject([
      { path: 'samplers.1.script', received: 'a script without the name of a measure', nearest: 'pids' },
      { path: 'expect.measures.1.measure', expected: 'a sampler whose script prints pids' },
    ]);
    expect(problemsOfScenario({ ...FILES, [SCRIPT]: '# zombies\n\n' })).toMatchObject([
      { file: SCRIPT, expected: 'a script that prints "<measure> <number>"', received: 'nothing' },
    ]);
    expect(problemsOfScenario({ ...FILES, 'scenarios/measured/samplers/old.sh': 'true\n' })).toMatchObject([
      { file: 'scenarios/measured/samplers/old.sh', received: 'none' },
    ]);
    expect(after(', everySeconds: 1', ', file: count.sh, everySeconds: 1')[0]?.expected).toBe(
      'exactly one of file, script and reads',
    );
  });

  it('tells all of it in one message', () => {
    const text = SCENARIO.replace('file: count.sh', 'file: counts.sh').replace('atMost: 9', 'atMost: -1');
    const paths = problemsOfScenario({ ...FILES, [FILE]: text }).map(({ path }) => path);
    // What the missing script would print is not known.
    expect(paths).toEqual(['samplers.0.file', 'expect.measures.1.atMost']);
  });
});

describe('a measure that a scenario declares', () => {
  const DECLARED = SCENARIO.replace(
    'samplers:',
    'measures: { queue-s: { unit: s, of: node, means: how long it waits, sane: [0, 9] } }\nsamplers:',
  )
    .replace('echo "pids $every"', 'echo "queue-s $every"')
    .replace('measure: pids', 'measure: queue-s');
  const declared = (from = '', to = ''): readonly ConfigProblem[] => {
    if (!DECLARED.includes(from)) throw new Error(`the scenario does not have ${from}`);
    return problemsOfScenario({ ...FILES, [FILE]: DECLARED.replace(from, to) });
  };

  it('is one that its samplers may print and its bounds may name', () => {
    expect(declared()).toEqual([]);
    const { scenario } = scenarioWith({ ...FILES, [FILE]: DECLARED });
    expect(scenario.measures).toEqual({
      'queue-s': { unit: 's', of: 'node', means: 'how long it waits', sane: [0, 9] },
    });
  });

  it('is a plain count of anything, unless it says otherwise', () => {
    const { scenario } = scenarioWith({
      ...FILES,
      [FILE]: DECLARED.replace('unit: s, ', '').replace(', sane: [0, 9]', ''),
    });
    expect(scenario.measures['queue-s']).toEqual({ of: 'node', means: 'how long it waits', sane: [0, 1e9] });
  });

  it('is refused without what it is and what it is of, with an unknown unit, and with sane numbers in the wrong order', () => {
    expect(declared('of: node, ', '')).toMatchObject([{ path: 'measures.queue-s.of', received: 'nothing' }]);
    expect(declared('means: how long it waits, ', '')).toMatchObject([{ path: 'measures.queue-s.means' }]);
    expect(declared('of: node', 'of: nod')).toMatchObject([{ path: 'measures.queue-s.of', nearest: 'node' }]);
    expect(declared('unit: s', 'unit: mib')).toMatchObject([
      { path: 'measures.queue-s.unit', expected: 'one of ms, s, MiB', received: '"mib"' },
    ]);
    expect(declared('sane: [0, 9]', 'sane: [9, 0]')).toMatchObject([
      { path: 'measures.queue-s.sane', expected: 'the smaller number first' },
    ]);
    expect(declared('sane: [0, 9]', 'sane: [0, 9s]')).toMatchObject([
      { path: 'measures.queue-s.sane.1', expected: 'a number, in the unit of the measure' },
    ]);
    expect(declared('sane: [0, 9]', 'insane: [0, 9]')).toMatchObject([{ path: 'measures.queue-s.insane' }]);
  });

  it('is refused with the name of a built-in one, a name that is not one, and when nobody prints it', () => {
    expect(declared('{ queue-s: {', '{ zombies: {')[0]).toMatchObject({
      path: 'measures.zombies',
      expected: 'a name that no built-in measure has',
    });
    expect(declared('{ queue-s: {', '{ Queue: {')[0]).toMatchObject({
      path: 'measures.Queue',
      expected: 'a name of lower-case words joined by -',
    });
    expect(declared('{ queue-s: {', '{ rest: { of: node, means: x }, queue-s: {')).toMatchObject([
      { path: 'measures.rest', expected: 'a sampler whose script prints rest', received: 'none' },
    ]);
  });

  it('is refused with a bound that it cannot keep, and is the nearest name of one that is misspelt', () => {
    expect(declared('atMost: 9', 'atMost: 10')).toMatchObject([
      { path: 'expect.measures.1.atMost', expected: 'a number between 0 and 9', received: '10' },
    ]);
    expect(declared('measure: queue-s', 'measure: queues')).toMatchObject([
      { path: 'expect.measures.1.measure', received: '"queues"', nearest: 'queue-s' },
    ]);
    const sampler = { path: 'samplers.1.script', nearest: 'queue-s' };
    expect(declared('echo "queue-s', 'echo "queue')).toMatchObject([
      { path: 'measures.queue-s' },
      sampler,
      { path: 'expect.measures.1.measure' },
    ]);
  });

  it('is not known to another scenario', () => {
    expect(after('measure: pids', 'measure: java-heap-most')[0]).toMatchObject({
      path: 'expect.measures.1.measure',
      received: '"java-heap-most"',
    });
  });

  it.each([
    ['unit: s, of: node', 'unit: ms, of: node', 'unit', 's', 'ms'],
    ['unit: s, of: node', 'of: node', 'unit', 's', 'no unit'],
    ['of: node', 'of: victim', 'of', 'node', 'victim'],
  ])('is refused when another scenario means another one: %s, %s', (from, to, field, wanted, received) => {
    const folder = 'scenarios/measured-too';
    const other = (text: string): Record<string, string> => ({
      ...FILES,
      [FILE]: DECLARED,
      [`${folder}/scenario.yaml`]: text.replace('name: measured', 'name: measured-too'),
      [`${folder}/manifests/pod.yaml`]: MANIFEST,
      [`${folder}/samplers/count.sh`]: 'echo "zombies 3"\n',
    });
    expect(problemsWith(other(DECLARED.replace('how long it waits, sane: [0, 9]', 'its own words')))).toEqual(
      [],
    );
    expect(problemsWith(other(DECLARED.replace(from, to)))).toEqual([
      {
        file: `${folder}/scenario.yaml`,
        path: `measures.queue-s.${field}`,
        expected: `${wanted}, as in scenarios/measured/scenario.yaml`,
        received,
      },
    ]);
  });
});

describe('a bug that compares measures', () => {
  const bug = (compare: string): string => `
formatVersion: 1
id: piles-up
title: Zombies pile up.
links: ['https://github.com/a/b/issues/1']
status: historic
scenario: measured
affected: { every: '1' }
fixed: { every: '2' }
compare: [${compare}]
summary: They do.
whatToSee: [zombies]
`;
  const problems = (compare: string): readonly ConfigProblem[] =>
    problemsWith({ ...FILES, 'bugs/piles-up.yaml': bug(compare) });

  it('may compare what both of its cells hold against a bound', () => {
    const last = '{ measure: zombies, atLeast: 0, reason: it is }';
    const both = SCENARIO.replace('measure: pids, atMost: 9, reason: it is small', last.slice(2, -2));
    const good = bug('{ measure: zombies, ratioAtLeast: 10, reason: none is left }');
    expect(problemsWith({ ...FILES, [FILE]: both, 'bugs/piles-up.yaml': good })).toEqual([]);
  });

  it('is refused for a measure that one of them does not bound, an unknown one, and no reason', () => {
    expect(problems('{ measure: pids, ratioAtLeast: 10, reason: x }')).toMatchObject([
      { path: 'compare.0.measure', received: '"last of pids"' },
    ]);
    expect(problems('{ measure: zombi, ratioAtLeast: 10, reason: x }')[0]).toMatchObject({
      nearest: 'zombies',
    });
    expect(problems('{ measure: zombies, ratioAtLeast: 10 }')).toMatchObject([{ path: 'compare.0.reason' }]);
    expect(problems('{ measure: zombies, ratioAtLeast: 1, reason: x }')[0]).toMatchObject({
      path: 'compare.0.ratioAtLeast',
    });
  });
});

describe('a sampler that reads', () => {
  const reads = (reading: string): string =>
    `  - { name: swapped, reads: ${reading}, everySeconds: 2 }\n  - { name: count,`;
  const declared = 'measures: { swapped-mib: { unit: MiB, of: node, means: swap } }\nsamplers:';
  const withReading = (reading: string): Record<string, string> => ({
    ...FILES,
    [FILE]: SCENARIO.replace('samplers:', declared).replace('  - { name: count,', reads(reading)),
  });

  it('has the script that the lab writes, on the node that has it', () => {
    const { samplers } = scenarioWith(withReading('{ measure: swapped-mib, swap: out }'));
    expect(samplers[0]).toMatchObject({ name: 'swapped', on: 'all-nodes' });
    expect(samplers[0]?.script).toContain('pswpout');
    const asked = scenarioWith(withReading('{ measure: swapped-mib, objects: { kind: pods } }'));
    expect(asked.samplers[0]).toMatchObject({ on: 'control-plane' });
  });

  it.each<[string, string, object]>([
    [
      'a measure that nobody declares',
      '{ measure: swaped-mib, swap: out }',
      { path: 'samplers.0.reads.measure', received: '"swaped-mib"', nearest: 'swapped-mib' },
    ],
    ['nothing', '{ measure: swapped-mib }', { path: 'samplers.0.reads' }],
    ['a script as well', '{ measure: swapped-mib, swap: out }, script: echo', { path: 'samplers.0' }],
  ])('is refused with %s', (_, reading, problem) => {
    expect(problemsOfScenario(withReading(reading))).toContainEqual(expect.objectContaining(problem));
  });
});
