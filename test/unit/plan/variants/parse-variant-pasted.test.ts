import { describe, expect, it } from 'vitest';
import { variantName, type Variant } from '../../../../lab/model/axes/axes.ts';
import { askBug } from '../../../../lab/plan/cells/ask-bug.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { deriveFacts } from '../../../../lab/plan/variants/facts.ts';
import { matchesCondition } from '../../../../lab/plan/variants/match-condition.ts';
import { parseVariant, parseVariantName } from '../../../../lab/plan/variants/parse-variant.ts';
import { configWith, problemsAfter, shippedText } from '../../project-files.ts';
import { messageOf } from '../plan-words.ts';

const config = configWith();
const { matrix } = config;

/** As programs and clouds print versions, and the names of the variants that they mean. */
const PASTED: readonly { readonly word: string; readonly name: string; readonly dropped?: string }[] = [
  { word: 'kubernetes=v1.33.4', name: '1.33.4' },
  { word: 'kubernetes=v1.37', name: '1.37' },
  { word: 'kubernetes=1.30.4-gke.100', name: '1.30.4', dropped: '-gke.100' },
  { word: 'kubernetes=v1.28.11-eks-db838b0', name: '1.28.11', dropped: '-eks-db838b0' },
  { word: 'kubernetes=v1.29.4+k3s1', name: '1.29.4', dropped: '+k3s1' },
  { word: 'kubernetes=1.28.2-00', name: '1.28.2', dropped: '-00' },
  { word: 'kubernetes=v1.34.2@file:./kubelet', name: '1.34.2@file:.%2Fkubelet' },
  { word: 'containerd=containerd://1.7.12', name: 'containerd-1.7.12' },
  { word: 'containerd=v1.7.12', name: 'containerd-1.7.12' },
  { word: 'containerd=containerd://1.7.12-0ubuntu4', name: 'containerd-1.7.12', dropped: '-0ubuntu4' },
  { word: 'containerd=1.6.20~ds1', name: 'containerd-1.6.20', dropped: '~ds1' },
  { word: 'runtime=runc@v1.2.0', name: 'runc@1.2.0' },
  { word: 'runtime=runc@v1.2.0+everywhere', name: 'runc@1.2.0+everywhere' },
  { word: 'runtime=runc@1.1.5+ds1', name: 'runc@1.1.5', dropped: '+ds1' },
  { word: 'runtime=runsc@release-20230927.0', name: 'runsc@20230927.0' },
  { word: 'runtime=runsc@release-20230927.0+systemd-cgroup', name: 'runsc@20230927.0+systemd-cgroup' },
];

describe('a version as programs print it', () => {
  it.each(PASTED)('$word is the variant $name', ({ word, name }) => {
    expect(variantName(parseVariant(matrix, [word]))).toBe(name);
  });

  it.each(PASTED)(
    '$word selects cells of that variant, and a note says what was dropped',
    ({ word, name, dropped }) => {
      // A scenario whose cells no rule refuses on any of these.
      const { cells, skipped, notes } = planCells(config, [word, 'plain-exit']);
      const [variant] = [...cells, ...skipped].map(({ variant }) => variantName(variant));
      expect(variant).toBe(name);
      const said = notes.map(({ note }) => note.reason).filter((reason) => reason.includes('is read as'));
      if (dropped === undefined) expect(said).toEqual([]);
      else expect(said).toEqual([expect.stringContaining(`"${dropped}"`) as string]);
    },
  );

  it.each([
    ['v1.33.4/plain-exit', '1.33.4/plain-exit'],
    ['1.30.4-gke.100/plain-exit', '1.30.4/plain-exit'],
  ])('%s is the address %s', (word, address) => {
    expect(planCells(config, [word]).cells.map((cell) => cell.address)).toEqual([address]);
  });

  it('is read in --affected and --fixed', () => {
    const bug = config.bugs.find(({ id }) => id === 'oom-reported-as-error')!;
    const asked = askBug(config, bug, {
      affected: ['containerd=containerd://1.6.1'],
      fixed: ['containerd=v1.7.27'],
    });
    expect(asked.addresses.slice(0, 2)).toEqual([
      expect.stringContaining('containerd-1.6.1'),
      expect.stringContaining('containerd-1.7.27'),
    ]);
  });

  it('is read in the file of a bug, whose cells have the canonical address', () => {
    const text = shippedText('bugs/oom-reported-as-error.yaml');
    const pasted = text.replace('containerd: 2.4.2', 'containerd: containerd://2.4.2-0ubuntu1');
    expect(pasted).not.toBe(text);
    const changed = configWith({ 'bugs/oom-reported-as-error.yaml': pasted });
    const find = ({ bugs }: typeof config) => bugs.find(({ id }) => id === 'oom-reported-as-error');
    expect(find(changed)).toEqual(find(config));
    const { notes } = planCells(changed, ['bug=oom-reported-as-error']);
    expect(notes.map(({ note }) => note.id)).toContain(
      'containerd-containerd://2.4.2-0ubuntu1-is-read-as-2.4.2',
    );
  });

  it.each([
    'kubernetes=1.35.0-rc.1',
    'containerd=2.0.0-beta.1',
    'kubernetes=v1.34-gke',
    'runtime=runc@v1.2',
    'runtime=runc@1.4.3+everywere',
    'runtime=runsc@20240916.0+systemd-cgrup',
  ])('%s is refused: no build is that', (word) => {
    expect(messageOf(() => parseVariant(matrix, [word]))).toContain('has no value');
  });

  it('is a value of a parameter without its v', () => {
    const { cells } = planCells(config, ['supercronic-zombies', 'supercronic=v0.2.30']);
    expect(cells.map(({ address }) => address)).toEqual(
      planCells(config, ['supercronic-zombies', 'supercronic=0.2.30']).cells.map(({ address }) => address),
    );
  });

  it('has one spelling in names', () => {
    expect(parseVariantName(matrix, 'v1.33.4')).toEqual(parseVariantName(matrix, '1.33.4'));
  });
});

describe('a span of versions', () => {
  it('selects each of them', () => {
    const { cells } = planCells(config, ['kubernetes=1.30.[0-3],1.34', 'plain-exit']);
    expect(cells.map(({ address }) => address.split('/')[0]).sort()).toEqual(
      ['1.30.0', '1.30.1', '1.30.2', '1.30.3', 'default'].sort(),
    );
    expect(planCells(config, ['kubernetes=1.30.[1-2]', 'plain-exit']).cells).toHaveLength(2);
  });

  it('is refused when it has no version', () => {
    expect(messageOf(() => planCells(config, ['kubernetes=1.30.[3-1]', 'plain-exit']))).toContain(
      'has no value',
    );
  });
});

const variantOf = (...words: string[]): Variant => parseVariant(matrix, words);

describe('a condition about releases of Kubernetes', () => {
  // The short name 1.34 is 1.34.2 in components.yaml.
  it.each([
    ['<1.30.4', '1.30.3', true],
    ['<1.30.4', '1.30.4', false],
    ['>=1.34.2', '1.34', true],
    ['<1.34.2', '1.34', false],
    ['>1.34.1 <1.34.3', '1.34', true],
    ['<=1.34', '1.34.9', true],
    ['<v1.30.4', '1.30.3', true],
    ['v1.30.3', '1.30.3', true],
    ['1.30.[0-3]', '1.30.3', true],
    ['1.30.[0-3]', '1.30.4', false],
    ['1.34.[0-2]', '1.34', true],
  ])('%s and %s: %s', (text, release, holds) => {
    const variant = variantOf(`kubernetes=${release}`);
    expect(matchesCondition({ kubernetes: [text] }, variant, deriveFacts(variant, matrix))).toBe(holds);
  });

  it.each([
    ["'<1.30.4'", undefined],
    ["'1.30.[0-3]'", undefined],
    ['v1.33.4', undefined],
    ["'>=1.30.5 <1.30.4'", 'a range that has a version'],
    ["'1.30.[4-3]'", 'a span whose first number is not above its last'],
    ["'<1.30.x'", 'comparators such as ">=1.6 <1.6.3", or a span such as "1.30.[0-3]"'],
    ['1.30.4-gke.100', 'a release of kubernetes'],
  ])('may be written %s in a file: %s', (text, expected) => {
    const problems = problemsAfter('matrix.yaml', "kubernetes: ['>=1.26']", `kubernetes: [${text}]`);
    // Other rules are then the first for some variant: only the words are of interest.
    expect(problems.map((problem) => problem.expected)).toEqual(expected === undefined ? [] : [expected]);
  });
});
