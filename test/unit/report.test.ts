import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../lab/model/axes.ts';
import { runResultSchema, type CellResult, type RunResult } from '../../lab/model/formats.ts';
import { formatDuration } from '../../lab/report/format-duration.ts';
import { renderJunit } from '../../lab/report/render-junit.ts';
import { renderMarkdown } from '../../lab/report/render-markdown.ts';
import { renderSummary } from '../../lab/report/render-summary.ts';

function cell(scenario: string, changes: Partial<CellResult>): CellResult {
  return {
    address: `default/${scenario}`,
    variant: { ...DEFAULT_VARIANT },
    scenario,
    verdict: 'passed',
    expected: { killer: 'memcg-oom' },
    attribution: {
      killer: 'memcg-oom',
      level: 'pod',
      victim: 'eater/eater pid 812 (memory-eater)',
      confidence: 'proven',
      because: [
        {
          source: 'kmsg',
          at: '',
          file: 'node-1/kmsg.log',
          line: 41,
          text: 'Memory cgroup out of memory: <812> & "x"',
        },
      ],
    },
    claims: [],
    mismatches: [],
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 8_400 },
    evidence: `cells/default/${scenario}`,
    ...changes,
  };
}

const failed = cell('within-limits', {
  verdict: 'failed',
  expected: { killer: 'none' },
  mismatches: [{ field: 'killer', expected: 'none', observed: 'memcg-oom' }],
});
const lost = cell('plain-exit', {
  verdict: 'inconclusive',
  attribution: { killer: 'unknown', victim: 'quitter', confidence: 'none', because: [] },
  note: 'node-1/witness.jsonl ends at second 3 \u0007\ud800',
});
const skipped = cell('cron-job-oom', { verdict: 'skipped', note: 'v1-needs-memcg-v1: no MEMCG_V1 | none' });

const result: RunResult = runResultSchema.parse({
  formatVersion: 1,
  run: '0412-a1',
  startedAt: '2025-04-12T10:00:00.000Z',
  host: {},
  accelerator: 'tcg',
  totals: { passed: 1, failed: 1, inconclusive: 1, skipped: 1, interrupted: 0 },
  cells: [cell('oom-single-container', {}), failed, lost, skipped],
});

describe('the terminal summary', () => {
  it('has one line a cell, what did not hold, the totals, and the command that explains the first failure', () => {
    expect(renderSummary(result).split('\n')).toEqual([
      '✓ passed        default/oom-single-container  memcg-oom at pod level       8.4 s',
      '✗ failed        default/within-limits         memcg-oom at pod level       8.4 s',
      '    expected  killer none',
      '    observed  killer memcg-oom',
      '    verdict   failed: memcg-oom at pod level',
      '    because   Memory cgroup out of memory: <812> & "x"   cells/default/within-limits/node-1/kmsg.log:41',
      '? inconclusive  default/plain-exit            unknown                      8.4 s',
      '    verdict   inconclusive: node-1/witness.jsonl ends at second 3 \u0007\ud800',
      '- skipped       default/cron-job-oom          v1-needs-memcg-v1: no MEMCG_V1 | none',
      '',
      '1 passed, 1 failed, 1 inconclusive, 1 skipped (emulated, run 0412-a1)',
      'next: npm run lab why default/within-limits',
    ]);
  });

  it('says when a killer is only likely', () => {
    const likely = { ...cell('x', {}).attribution, confidence: 'likely' as const };
    const text = renderSummary({ ...result, cells: [cell('x', { attribution: likely })] });
    expect(text).toContain('memcg-oom at pod level (likely)');
  });
});

describe('JUnit XML', () => {
  const xml = renderJunit(result);

  it('is well-formed although kernel messages hold markup, control characters and half characters', () => {
    expect(XMLValidator.validate(xml)).toBe(true);
    expect(xml).not.toContain('\u0007');
    expect(xml).not.toContain('\ud800');
  });

  it('counts failures, errors and skipped cells apart', () => {
    const parsed = new XMLParser({ ignoreAttributes: false }).parse(xml) as {
      testsuites: { testsuite: Record<string, unknown> & { testcase: Record<string, unknown>[] } };
    };
    const suite = parsed.testsuites.testsuite;
    expect([suite['@_tests'], suite['@_failures'], suite['@_errors'], suite['@_skipped']]).toEqual([
      '4',
      '1',
      '1',
      '1',
    ]);
    expect(
      suite.testcase.map((test) => Object.keys(test).find((key) => /^(failure|error|skipped)$/.test(key))),
    ).toEqual([undefined, 'failure', 'error', 'skipped']);
    expect(suite.testcase[1]?.failure).toMatchObject({
      '@_message': 'killer: expected none, observed memcg-oom',
    });
  });
});

describe('the Markdown table', () => {
  it('keeps one row a cell although texts hold pipes and markup', () => {
    const rows = renderMarkdown(result).split('\n').slice(2);
    expect(rows).toHaveLength(2 + result.cells.length);
    for (const row of rows) expect(row.replaceAll('\\|', '').match(/\|/g), row).toHaveLength(7);
    expect(rows.join('\n')).toContain('&lt;812>');
  });
});

describe('durations', () => {
  it('are written in the unit that fits', () => {
    expect([900, 59_940, 125_000, 3_720_000].map(formatDuration)).toEqual([
      '0.9 s',
      '59.9 s',
      '2m 05s',
      '1h 02m',
    ]);
  });
});
