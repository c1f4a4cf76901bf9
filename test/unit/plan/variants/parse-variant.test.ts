import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AXES,
  DEFAULT_VARIANT,
  variantName,
  type Axis,
  type Variant,
} from '../../../../lab/model/axes/axes.ts';
import { outcomeFor } from '../../../../lab/plan/variants/find-rule.ts';
import { parseVariant, parseVariantName } from '../../../../lab/plan/variants/parse-variant.ts';
import { configWith } from '../../project-files.ts';
import { messageOf } from '../plan-words.ts';

const config = configWith();
const { matrix } = config;

/** Axes that take local builds, and how these are written up to the path. */
const LOCAL_BUILDS: Readonly<Partial<Record<Axis, readonly string[]>>> = {
  kubernetes: ['1.34.2@file:./'],
  kernel: ['file:./'],
  containerd: ['file:./'],
  runtime: ['runc@file:./', 'runsc@file:./'],
};

/** A path that a selector can hold: what cannot be in one is taken out. */
function pathOf(text: string): string {
  return `out/my_${text.replaceAll(/[\s,*?%]/gu, '')}`;
}

const anyVariant: fc.Arbitrary<Variant> = fc.record(
  Object.fromEntries(
    AXES.map((axis) => {
      const { values, example } = matrix.axes[axis];
      const builds = (LOCAL_BUILDS[axis] ?? []).map((prefix) =>
        fc.string().map((text) => prefix + pathOf(text)),
      );
      return [
        axis,
        fc.oneof(fc.constantFrom(...values, ...(example === undefined ? [] : [example])), ...builds),
      ];
    }),
  ) as Record<Axis, fc.Arbitrary<string>>,
);

const refusalOf = (words: readonly string[]): string => messageOf(() => parseVariant(matrix, words));

it('refuses an axis that says otherwise than the name beside it', () => {
  expect(refusalOf(['v1', 'cgroup=v2'])).toContain('a variant has one value of cgroup, not v1 and v2');
  expect(parseVariant(matrix, ['v1', 'cgroup=v1', 'os=trixie'])).toMatchObject({
    cgroup: 'v1',
    os: 'trixie',
  });
  expect(parseVariant(matrix, ['default', 'cgroup=v1'])).toMatchObject({ cgroup: 'v1' });
});

describe('names of variants', () => {
  it('lead back to the variant they name, for all values of all axes', () => {
    fc.assert(
      fc.property(anyVariant, (variant) => {
        expect(parseVariantName(matrix, variantName(variant))).toEqual({ variant });
      }),
    );
  });

  it('are different for different variants', () => {
    fc.assert(
      fc.property(anyVariant, anyVariant, (a, b) => {
        expect(variantName(a) === variantName(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  it('are folders, also for local builds', () => {
    const variant = { ...DEFAULT_VARIANT, runtime: 'runsc@file:./out/my_runsc+systemd-cgroup' };
    expect(variantName(variant)).toBe('runsc@file:.%2Fout%2Fmy%5Frunsc+systemd-cgroup');
    fc.assert(
      fc.property(anyVariant, (any) => {
        expect(variantName(any)).not.toContain('/');
      }),
    );
  });

  it('have no other spelling: a % that is none of ours is refused', () => {
    expect(refusalOf(['file:.%2fvmlinuz'])).toContain('is not a value of any axis');
    expect(refusalOf(['file:.%41'])).toContain('is not a value of any axis');
  });

  it('keep a Kubernetes version and a containerd version apart', () => {
    expect(parseVariant(matrix, ['1.29.14_containerd-1.7.27'])).toMatchObject({
      kubernetes: '1.29.14',
      containerd: '1.7.27',
    });
  });
});

describe('words that describe one variant', () => {
  it('mean the default when there are none', () => {
    expect(parseVariant(matrix, [])).toEqual(DEFAULT_VARIANT);
    expect(parseVariant(matrix, ['default'])).toEqual(DEFAULT_VARIANT);
  });

  it('may mix a name with axis=value', () => {
    expect(variantName(parseVariant(matrix, ['v1', 'os=bullseye']))).toBe('bullseye_v1');
  });

  it('are all named when they are wrong, with the nearest names', () => {
    const message = refusalOf(['bulseye', 'cgrup=v1', 'cgroup=v3']);
    expect(message).toContain('3 problems');
    expect(message).toContain('"bulseye" is not a value of any axis (did you mean "bullseye"?)');
    expect(message).toContain('there is no axis "cgrup" (did you mean "cgroup"?)');
    expect(message).toContain('cgroup has no value "v3" (did you mean "v2"?)');
  });

  it('get an exact version named when they are the beginning of one', () => {
    expect(refusalOf(['1.33'])).toContain('(did you mean an exact kubernetes, like 1.29.14?)');
    expect(refusalOf(['containerd-1.4'])).toContain(
      '(did you mean an exact containerd, like containerd-1.6.39?)',
    );
  });

  it('cannot give one axis two values by name', () => {
    expect(refusalOf(['bullseye_trixie'])).toContain('two values of os');
  });
});

describe('the outcome of a scenario', () => {
  const eater = config.scenarios.find(({ scenario }) => scenario.name === 'oom-single-container')!.scenario;
  const runsc = { ...DEFAULT_VARIANT, runtime: 'runsc@20230927' };
  const outcomeWith = (expect: Partial<typeof eater.expect>, variant = runsc) =>
    outcomeFor({ ...eater, variants: [{ when: { runtime: ['runsc*'] }, expect }] }, variant, {});

  it('is changed on the variants that say so, and on no other', () => {
    expect(outcomeWith({ killer: 'none', survivesSeconds: 30 }, DEFAULT_VARIANT)).toEqual(eater.expect);
    expect(outcomeWith({ reason: ['Error'] })).toEqual({ ...eater.expect, reason: ['Error'] });
  });

  it('is another one as a whole where another killer is expected: a survivor has no exit code', () => {
    expect(outcomeWith({ killer: 'none', survivesSeconds: 30 })).toEqual({
      killer: 'none',
      survivesSeconds: 30,
    });
  });

  it('is another one as a whole where the container runs on: it has no reason and no exit code', () => {
    const lives = { victim: 'child', then: 'keeps-running' } as const;
    expect(outcomeWith(lives)).toEqual({ killer: 'memcg-oom', ...lives });
  });
});
