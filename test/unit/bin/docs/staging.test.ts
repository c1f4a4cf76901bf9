import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { ConfigError, formatError } from '../../../../lab/model/errors/errors.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { describeOutcome } from '../../../../lab/model/saved/describe-outcome.ts';
import { stagingOf } from '../../../../bin/docs/staging.ts';
import { configWith, shippedText } from '../../project-files.ts';

const expected = {
  killer: 'none',
  survivesSeconds: 30,
  or: [{ killer: 'runtime-lost', how: ['runtime-restarted'] }],
};

/** What the reports make of a cell that was named so. */
function outcomeOf(killer: string, how?: string): string | undefined {
  const cell = {
    verdict: 'passed',
    expected,
    variant: DEFAULT_VARIANT,
    mismatches: [],
    attribution: { killer, how, confidence: 'proven' },
  };
  return stagingOf(cell as unknown as CellResult)?.named[0]?.outcome;
}

it('names a container that never started, as it was to, without a killer', () => {
  const cell = {
    verdict: 'passed',
    expected: { killer: 'none', neverStarts: ['CreateContainerConfigError'], survivesSeconds: 40 },
    variant: DEFAULT_VARIANT,
    mismatches: [],
    attribution: { killer: 'unknown', confidence: 'none' },
  };
  expect(stagingOf(cell as unknown as CellResult)).toMatchObject({
    cause: 'none (never starts)',
    named: [{ as: 'none (never starts)', outcome: 'right' }],
  });
});

describe('a scenario that accepts either of two ends', () => {
  it('is told as such in reports', () => {
    expect(describeOutcome(expected)).toBe('none, alive for 30 s, or runtime-lost by runtime-restarted');
  });

  it('was named right with each of them, and with no other way of the second', () => {
    expect(outcomeOf('none')).toBe('right');
    expect(outcomeOf('runtime-lost', 'runtime-restarted')).toBe('right');
    expect(outcomeOf('runtime-lost', 'shim-killed')).toBe('wrong');
    expect(outcomeOf('runtime-lost')).toBe('wrong');
    expect(outcomeOf('sandbox-died', 'sandbox-killed')).toBe('wrong');
  });

  it('is refused when both are the same killer', () => {
    const path = 'scenarios/containerd-restart/scenario.yaml';
    const twice = shippedText(path).replace('killer: none', 'killer: runtime-lost');
    try {
      configWith({ [path]: twice });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      expect(formatError(error)).toMatch(/expect\.or\.0\.killer/);
    }
  });
});
