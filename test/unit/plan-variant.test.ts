import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AXES, DEFAULT_VARIANT, variantName, type Axis, type Variant } from '../../lab/model/axes.ts';
import { UsageError } from '../../lab/model/errors.ts';
import { findRefusal, outcomeFor } from '../../lab/plan/find-rule.ts';
import { parseVariant, parseVariantName } from '../../lab/plan/parse-variant.ts';
import { getBuildableVariant } from '../../lab/plan/plan-cells.ts';
import { configWith } from './project-files.ts';

const config = configWith();
const { matrix } = config;

const anyVariant: fc.Arbitrary<Variant> = fc.record(
  Object.fromEntries(
    AXES.map((axis) => {
      const { values, example } = matrix.axes[axis];
      return [axis, fc.constantFrom(...values, ...(example === undefined ? [] : [example]))];
    }),
  ) as Record<Axis, fc.Arbitrary<string>>,
);

function messageOf(words: readonly string[]): string {
  try {
    parseVariant(matrix, words);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return '';
}

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
    const message = messageOf(['bulseye', 'cgrup=v1', 'cgroup=v3']);
    expect(message).toContain('3 problems');
    expect(message).toContain('"bulseye" is no value of any axis (did you mean "bullseye"?)');
    expect(message).toContain('there is no axis "cgrup" (did you mean "cgroup"?)');
    expect(message).toContain('cgroup has no value "v3" (did you mean "v2"?)');
  });

  it('cannot give one axis two values by name', () => {
    expect(messageOf(['bullseye_trixie'])).toContain('two values of os');
  });
});

describe('rules', () => {
  it('refuse nothing about the default variant', () => {
    expect(findRefusal(matrix, DEFAULT_VARIANT)).toBeUndefined();
  });

  it('refuse every value that is not the default on some axis, each with reason and source', () => {
    for (const axis of AXES) {
      for (const value of matrix.axes[axis].values.slice(1)) {
        const refusal = findRefusal(matrix, { ...DEFAULT_VARIANT, [axis]: value });
        expect(refusal, `${axis}=${value}`).toMatchObject({
          reason: expect.any(String) as string,
          source: expect.stringMatching(/^(https:|docs\/)/) as string,
        });
      }
    }
  });

  it('are each reached by some variant, so that none is stale', () => {
    const reached = new Set<string>();
    const values = (axis: Axis): string[] => [
      ...matrix.axes[axis].values,
      ...(matrix.axes[axis].example === undefined ? [] : [matrix.axes[axis].example]),
    ];
    for (const a of AXES)
      for (const b of AXES)
        for (const va of values(a))
          for (const vb of values(b)) {
            const refusal = findRefusal(matrix, { ...DEFAULT_VARIANT, [a]: va, [b]: vb });
            if (refusal !== undefined) reached.add(refusal.rule);
          }
    expect([...reached].sort()).toEqual(matrix.rules.map((rule) => rule.id).sort());
  });

  it('report what is impossible before what is not built yet', () => {
    const variant = parseVariant(matrix, ['trixie_v1']);
    expect(findRefusal(matrix, variant)?.rule).toBe('v1-needs-memcg-v1');
  });

  it('stop verbs that need one world', () => {
    expect(() => getBuildableVariant(config, ['cgroup=v1'])).toThrow(/v1 cannot be built: .*cgroup v2 only/);
  });
});

describe('the outcome of a scenario', () => {
  it('is replaced field by field on the variants that say so', () => {
    const eater = config.scenarios.find(({ scenario }) => scenario.name === 'oom-single-container');
    const scenario = {
      ...eater!.scenario,
      variants: [{ when: { runtime: ['runsc*'] }, expect: { killer: 'none' as const, survivesSeconds: 30 } }],
    };
    expect(outcomeFor(scenario, DEFAULT_VARIANT).killer).toBe('memcg-oom');
    expect(outcomeFor(scenario, { ...DEFAULT_VARIANT, runtime: 'runsc@20230927' })).toMatchObject({
      killer: 'none',
      survivesSeconds: 30,
      exitCode: [137],
    });
  });
});
