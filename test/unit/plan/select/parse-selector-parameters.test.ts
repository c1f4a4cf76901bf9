import { describe, expect, it } from 'vitest';
import { listSchema } from '../../../../lab/model/saved/formats.ts';
import { runPaths } from '../../../../lab/model/host/paths.ts';
import { toListResult } from '../../../../lab/plan/cells/list-result.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { addressesOfBug, selectorsOfBug } from '../../../../lab/plan/bugs/bug-cells.ts';
import { renderList } from '../../../../lab/report/terminal/render-list.ts';
import { skippedResult } from '../../../../lab/world/run/unseen-cell.ts';
import { configWith, problemsWith, shippedText } from '../../project-files.ts';
import { VARIED } from '../varied-scenario.ts';
import { addressesOf, messageOf } from '../plan-words.ts';

const config = configWith(VARIED);

const addresses = (...words: string[]): string[] => addressesOf(config, words);

const refusalOf = (...words: string[]): string => messageOf(() => planCells(config, words));

const matrixWith = (from: string, to: string): string => {
  const text = shippedText('matrix.yaml');
  if (!text.includes(from)) throw new Error(`matrix.yaml does not have ${from}`);
  return text.replace(from, to);
};

describe('the address of a cell', () => {
  it('shows the parameters that are not at their default, in declared order', () => {
    expect(addresses('default/varied')).toEqual(['default/varied']);
    expect(addresses('default/varied[uid=100,limit=64Mi]')).toEqual(['default/varied[limit=64Mi,uid=100]']);
    expect(addresses('default/varied[uid=0,limit=128Mi]')).toEqual(['default/varied']);
  });

  it('selects the cell that it names, and no other', () => {
    const all = addresses('limit=*', 'uid=*', 'version=1.10,2.0', 'cgroup=*');
    expect(all).toHaveLength(16);
    for (const address of all) expect(addresses(address)).toEqual([address]);
  });

  it('is a folder without brackets', () => {
    const { cellRelative } = runPaths('run');
    expect(cellRelative('default/varied')).toBe('cells/default/varied');
    expect(cellRelative('v1/varied[limit=64Mi,uid=100]')).toBe('cells/v1/varied,limit=64Mi,uid=100');
  });
});

describe('words about parameters', () => {
  it('narrow to the scenarios that declare them and know the value', () => {
    const chosen = addresses('limit=64Mi');
    expect(chosen).toEqual(
      expect.arrayContaining(['default/oom-single-container[limit=64Mi]', 'default/varied[limit=64Mi]']),
    );
    expect(chosen).not.toContain('default/plain-exit');
    expect(addresses('limit=256Mi')).toContain('default/oom-single-container[limit=256Mi]');
    expect(addresses('limit=256Mi')).not.toContain('default/varied[limit=256Mi]');
    expect(addresses('limit=*', 'uid=100')).toEqual([
      'default/varied[limit=64Mi,uid=100]',
      'default/varied[uid=100]',
    ]);
  });

  it('go together with axes, globs and scenarios', () => {
    expect(addresses('cgroup=v1', 'limit=64Mi', 'oom-*')).toEqual(['v1/oom-single-container[limit=64Mi]']);
    expect(addresses('limit=64Mi', 'scenario=varied')).toEqual(['default/varied[limit=64Mi]']);
    expect(addresses('oom-*[limit=6*]')).toEqual(['default/oom-single-container[limit=64Mi]']);
    expect(addresses('v1[limit=256Mi]')).toEqual(['v1/oom-single-container[limit=256Mi]']);
  });

  it('filter a set, which has the defaults', () => {
    expect(addresses('set=quick', 'limit=128Mi')).toEqual(['default/oom-single-container']);
    expect(refusalOf('set=quick', 'limit=64Mi')).toBe('no cell matches all of these words');
    expect(refusalOf('set=quick', 'oom-single-container[limit=64Mi]')).toBe(
      'no cell has all of these parameters',
    );
  });

  it('accept what a pattern of the parameter accepts', () => {
    expect(addresses('version=1.9')).toEqual(['default/varied[version=1.9]']);
    expect(refusalOf('version=latest')).toContain('version has no value "latest"');
    expect(refusalOf('version=latest')).toContain('or one like 1.11');
  });

  it('are told the nearest name when they are wrong', () => {
    expect(refusalOf('limt=64Mi')).toBe('there is no axis or parameter "limt" (did you mean "limit"?)');
    expect(refusalOf('limit=65Mi')).toBe('limit has no value "65Mi" (did you mean "64Mi"?)');
    for (const word of ['varied[limt=64Mi]', 'default/varied[limt=64Mi]']) {
      expect(refusalOf(word)).toBe('there is no parameter "limt" (did you mean "limit"?)');
    }
    expect(refusalOf('default/varied[limit]')).toBe('"limit" in brackets is not <parameter>=<value>');
    expect(refusalOf('default/plain-exit[limit=64Mi]')).toBe('there is no parameter "limit"');
  });
});

describe('a cell with parameters', () => {
  const [cell] = planCells(config, ['default/varied[limit=64Mi,uid=100]']).cells;

  it('deploys and expects what its values say', () => {
    expect(JSON.stringify(cell?.loaded.manifests)).toContain('{"limits":{"memory":"64Mi"}}');
    expect(cell?.outcome).toMatchObject({ exitCode: [100], withinSeconds: 10 });
  });

  it('has all of its values in list --json; one without parameters has no such field', () => {
    const list = toListResult(planCells(config, ['default/varied[uid=100]', 'plain-exit']));
    expect(listSchema.parse(list)).toEqual(list);
    expect(list.cells.map(({ parameters }) => parameters)).toEqual([
      undefined,
      { limit: '128Mi', uid: '100', version: '1.10' },
    ]);
  });

  it('is named as a word that a shell takes as it is', () => {
    const list = toListResult(planCells(config, ['default/varied[uid=100]']));
    expect(renderList(list, 'run varied')).toContain('next: npx whodunit run varied');
  });

  it('can be refused by a rule and by its own scenario, with its values in the result', () => {
    const rule = `rules:
  - id: little-memory
    when: { limit: [64Mi], cgroup: [v1] }
    reason: it is too little
    source: docs/matrix.md
    proof: proven`;
    const ruled = configWith({ ...VARIED, 'matrix.yaml': matrixWith('rules:', rule) });
    const plan = planCells(ruled, ['cgroup=*', 'limit=*', 'scenario=varied']);
    expect(plan.cells.map(({ address }) => address)).toEqual([
      'default/varied',
      'default/varied[limit=64Mi]',
      'v1/varied',
    ]);
    expect(plan.skipped.map(skippedResult)).toMatchObject([
      { address: 'v1/varied[limit=64Mi]', parameters: { limit: '64Mi' }, verdict: 'skipped' },
    ]);
    const path = 'scenarios/varied/scenario.yaml';
    const asking = configWith({ ...VARIED, [path]: `${VARIED[path]}\nrequires: { limit: ['6*'] }\n` });
    expect(planCells(asking, ['default/varied']).skipped).toMatchObject([
      { rule: 'scenario-requires', reason: 'the scenario requires limit 6*' },
    ]);
  });

  it('counts in pairs of values', () => {
    const plan = planCells(config, ['cgroup=*', 'limit=*', 'uid=*', 'scenario=varied'], { pairwise: true });
    const { of, pairs, covered } = plan.pairwise ?? { of: 0, pairs: 0, covered: 0 };
    expect([of, covered]).toEqual([8, pairs]);
    expect(plan.cells.length).toBeLessThan(8);
    for (const [limit, uid] of [
      ['64Mi', '0'],
      ['64Mi', '100'],
      ['128Mi', '0'],
      ['128Mi', '100'],
    ]) {
      const has = plan.cells.some(
        ({ loaded: { parameters } }) => parameters['limit'] === limit && parameters['uid'] === uid,
      );
      expect(has, `${limit} with ${uid}`).toBe(true);
    }
  });
});

describe('a block of a set', () => {
  const block = (parameters: string): string =>
    matrixWith('sets:', `sets:\n  limits:\n    about: limits\n    blocks: [{ variants: {}, ${parameters} }]`);

  it('varies parameters, and leaves out the scenarios that lack them', () => {
    const changed = configWith({
      ...VARIED,
      'matrix.yaml': block("parameters: { limit: ['*'] }, scenarios: ['oom-*', varied, plain-exit]"),
    });
    const cells = planCells(changed, ['set=limits']).cells;
    expect(cells.map(({ address }) => address)).toEqual([
      'default/oom-single-container',
      'default/oom-single-container[limit=256Mi]',
      'default/oom-single-container[limit=64Mi]',
      'default/varied',
      'default/varied[limit=64Mi]',
    ]);
    expect(cells[1]?.sets).toEqual(['limits']);
  });

  it('names a parameter and a value that there is not', () => {
    const problems = problemsWith({
      ...VARIED,
      'matrix.yaml': block("parameters: { limt: ['*'], uid: ['101'], os: ['*'] }"),
    });
    expect(problems).toMatchObject([
      { path: 'sets.limits.blocks.0.parameters.limt', nearest: 'limit' },
      { path: 'sets.limits.blocks.0.parameters.uid.0', received: '"101"', nearest: '100' },
      { path: 'sets.limits.blocks.0.parameters.os', expected: 'a parameter of some scenario' },
    ]);
  });

  it('is the only thing of the matrix beside rules that may name them', () => {
    const note = 'notes:\n  - { id: n, when: { limit: [64Mi] }, reason: r, source: s, proof: proven }';
    expect(problemsWith({ ...VARIED, 'matrix.yaml': matrixWith('\nnotes:', `\n${note}`) })).toMatchObject([
      { path: 'notes.0.when.limit', received: '"limit"' },
    ]);
  });
});

describe('a bug', () => {
  const FILE = 'bugs/limit-counts.yaml';
  const bug = (affected: string): string => `
formatVersion: 1
id: limit-counts
title: A small limit is another one.
links: [https://github.com/owner/repository/issues/1]
status: reproduces
scenario: varied
affected: ${affected}
fixed: {}
summary: None.
whatToSee: [nothing]
`;

  it('tells two choices of parameters apart', () => {
    const { bugs, scenarios } = configWith({ ...VARIED, [FILE]: bug('{ limit: 64Mi, cgroup: v1 }') });
    const found = bugs.find(({ id }) => id === 'limit-counts')!;
    expect(addressesOfBug(found, scenarios)).toEqual(['v1/varied[limit=64Mi]', 'default/varied']);
    expect(selectorsOfBug(found, scenarios)).toEqual(['v1[limit=64Mi]', 'default']);
    expect(addresses(...addressesOfBug(found, scenarios))).toEqual([
      'default/varied',
      'v1/varied[limit=64Mi]',
    ]);
  });

  it('names a parameter and a value that its scenario does not have', () => {
    expect(problemsWith({ ...VARIED, [FILE]: bug('{ limt: 64Mi, uid: "101" }') })).toMatchObject([
      { file: FILE, path: 'affected.limt', received: '"limt"', nearest: 'limit' },
      { file: FILE, path: 'affected.uid', expected: 'a value of uid', nearest: '100' },
    ]);
  });
});
