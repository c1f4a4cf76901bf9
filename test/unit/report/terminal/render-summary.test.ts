import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { runResultSchema, type CellResult, type RunResult } from '../../../../lab/model/saved/formats.ts';
import { formatDuration } from '../../../../lab/model/text/format-duration.ts';
import { explainCell } from '../../../../lab/report/terminal/explain-cell.ts';
import { renderJunit } from '../../../../lab/report/formats/render-junit.ts';
import { renderMarkdown } from '../../../../lab/report/markdown/render-markdown.ts';
import { renderSummary } from '../../../../lab/report/terminal/render-summary.ts';
import { renderBareHtml } from '../bare-report.ts';
import { createCell } from '../made-run.ts';

const cell = (scenario: string, changes: Partial<CellResult>): CellResult =>
  createCell(scenario, {
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
    ...changes,
  });

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

describe('a cell of a known bug', () => {
  const known = cell('dying-cgroups', { bug: { id: 'dying-memory-cgroups', state: 'shows' } });
  const note = 'bug dying-memory-cgroups seems fixed: review bugs/dying-memory-cgroups.yaml';
  const gone = { ...failed, bug: { id: 'dying-memory-cgroups', state: 'seems-fixed' as const }, note };
  const run = runResultSchema.parse({ ...result, cells: [known, gone] });

  it('bears its name in every form of a run', () => {
    expect(renderSummary(run)).toMatch(/^✓ passed .* bug dying-memory-cgroups, as expected$/m);
    expect(renderSummary(run)).toContain(`    verdict   failed: ${note}`);
    expect(renderJunit(run)).toContain('bug dying-memory-cgroups, as expected');
    expect(renderJunit(run)).toContain(`<failure message="${note}"`);
    expect(renderMarkdown(run)).toContain('bug dying-memory-cgroups, as expected; Memory cgroup');
    expect(renderBareHtml(run)).toContain('dying-memory-cgroups, as expected');
    expect(explainCell(known)).toMatch(/^bug {7}dying-memory-cgroups, as expected$/m);
    expect(explainCell(gone)).toContain(note);
  });
});

describe('the terminal summary', () => {
  it('has one line a cell, what did not hold, the totals, and the command that explains the first failure', () => {
    expect(renderSummary(result).split('\n')).toEqual([
      '✓ passed        default/oom-single-container  memcg-oom at pod level       8.4 s',
      '✗ failed        default/within-limits         memcg-oom at pod level       8.4 s',
      '    expected  killer: none',
      '    observed  killer: memcg-oom',
      '    verdict   failed: memcg-oom at pod level',
      '    because   Memory cgroup out of memory: <812> & "x"   cells/default/within-limits/node-1/kmsg.log:41',
      '? inconclusive  default/plain-exit            unknown                      8.4 s',
      '    verdict   inconclusive: node-1/witness.jsonl ends at second 3 \u0007\ud800',
      '- skipped       default/cron-job-oom          v1-needs-memcg-v1: no MEMCG_V1 | none',
      '',
      '1 passed, 1 failed, 1 inconclusive, 1 skipped (emulated, run 0412-a1)',
      'next: npx whodunit why default/within-limits',
    ]);
  });

  it('has one line for all cells that one rule refuses', () => {
    const refused = ['liveness', 'restarts', 'counting'].map((scenario) =>
      cell(scenario, { verdict: 'skipped', note: 'no-sandbox: gVisor has none (matrix.yaml)' }),
    );
    const lines = renderSummary({ ...result, cells: [...refused, failed, skipped] }).split('\n');
    expect(lines.filter((line) => line.startsWith('- skipped'))).toEqual([
      '- skipped       3 cells                no-sandbox: gVisor has none (matrix.yaml)',
      '- skipped       default/cron-job-oom   v1-needs-memcg-v1: no MEMCG_V1 | none',
    ]);
  });

  it('says why a killer is only likely, unless the note says it', () => {
    const doubts = ['nobody traced the signal', 'the trace is gone'];
    const likely = { ...cell('x', {}).attribution, confidence: 'likely' as const, doubts };
    const told = cell('x', { attribution: likely, note: 'the trace is gone' });
    expect(explainCell(told)).toContain('\ndoubt     nobody traced the signal\n');
    expect(renderBareHtml({ ...result, cells: [told] })).toMatch(
      /<dt>doubt<\/dt>\s*<dd>nobody traced the signal<\/dd>/,
    );
    expect(explainCell(cell('x', {}))).not.toContain('doubt');
  });

  it('says when a killer is only likely', () => {
    const likely = { ...cell('x', {}).attribution, confidence: 'likely' as const };
    const text = renderSummary({ ...result, cells: [cell('x', { attribution: likely })] });
    expect(text).toContain('memcg-oom at pod level (likely)');
  });
});

describe('a cell whose end is known step by step', () => {
  const [signal] = cell('x', {}).attribution.because;
  const told = cell('x', {
    verdict: 'failed',
    attribution: {
      ...cell('x', {}).attribution,
      because: [signal!, { ...signal!, line: 50, text: 'oom_kill 1' }],
      chain: [
        { ...signal!, step: 'signal' },
        { ...signal!, step: 'end', line: 44, text: 'it ended' },
      ],
      findings: [
        { what: 'a worker died', explained: true, because: [] },
        { what: 'somebody sent SIGTERM', explained: false, because: [{ ...signal!, line: 60 }] },
      ],
    },
  });
  const whole = { ...result, cells: [told] };

  it('has its steps by name in the terminal, then what else proves it, then what else was seen', () => {
    const lines = renderSummary(whole).split('\n').slice(2, 7);
    const folder = 'cells/default/x/node-1/kmsg.log';
    expect(lines).toEqual([
      `    signal    Memory cgroup out of memory: <812> & "x"   ${folder}:41`,
      `    end       it ended   ${folder}:44`,
      `    because   oom_kill 1   ${folder}:50`,
      '    also seen a worker died',
      '    also seen unexplained: somebody sent SIGTERM',
    ]);
    expect(renderJunit(whole)).toContain('also seen unexplained: somebody sent SIGTERM');
  });

  it('has them in Markdown and HTML', () => {
    const markdown = renderMarkdown(whole);
    expect(markdown).toContain('signal  node-1/kmsg.log:41  kmsg  Memory cgroup');
    expect(markdown).toContain('also seen  unexplained: somebody sent SIGTERM  node-1/kmsg.log:60');
    const page = renderBareHtml(whole).replaceAll(/\s+/g, ' ');
    expect(page).toContain('<b class="step">end</b>');
    expect(page).toContain('<strong>unexplained:</strong> somebody sent SIGTERM');
  });
});

describe('JUnit XML', () => {
  const xml = renderJunit(result);

  it('is well-formed although kernel messages hold markup, control characters and half characters', () => {
    expect(XMLValidator.validate(xml)).toBe(true);
    expect(xml).not.toContain('\u0007');
    expect(xml).not.toContain('\ud800');
  });

  it('has the message of a record, as all outputs do: time and place are beside it', () => {
    const text = 'I1128 16:07:01.000001    1234 kuberuntime_container.go:746] "Killing container"';
    const [ref] = cell('x', {}).attribution.because;
    const attribution = { ...cell('x', {}).attribution, because: [{ ...ref!, text }] };
    const run = { ...result, cells: [cell('x', { verdict: 'failed', attribution })] };
    for (const output of [renderJunit(run), renderMarkdown(run)]) {
      expect(output).toContain('Killing container');
      expect(output).not.toContain('kuberuntime_container.go');
    }
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

describe('the Markdown of a run', () => {
  const lines = renderMarkdown(result).split('\n');

  it('keeps one row a cell although texts hold pipes and markup', () => {
    const rows = lines.filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(2 + result.cells.length);
    for (const row of rows) expect(row.replaceAll('\\|', '').match(/\|/g), row).toHaveLength(7);
    expect(rows.join('\n')).toContain('&lt;812>');
  });

  it('quotes the proof of what did not pass, and of nothing else', () => {
    const proof = 'node-1/kmsg.log:41  kmsg  Memory cgroup out of memory: <812> & "x"';
    expect(lines.filter((line) => line === proof)).toHaveLength(1);
    expect(lines).toContain('- expected killer: none');
    expect(lines).toContain('- observed killer: memcg-oom');
  });
});

describe('the HTML of a run', () => {
  const evil = '<img src=x onerror="alert(1)">\u0007 &amp; \'';
  const page = renderBareHtml({
    ...result,
    run: evil,
    host: { os: evil },
    cells: [
      cell(`x${evil}`, {
        address: `runsc@1+systemd-cgroup/x${evil}`,
        evidence: 'cells/runsc@1+systemd-cgroup/x',
        verdict: 'failed',
        note: evil,
        expected: { reason: evil },
        mismatches: [{ field: evil, expected: evil, observed: evil }],
        claims: [{ layer: 'api', says: evil, agrees: false }],
        attribution: {
          killer: 'memcg-oom',
          victim: evil,
          confidence: 'proven',
          because: [{ source: evil, at: evil, file: `node-1/${evil}`, line: 41, text: evil }],
          chain: [{ step: 'signal', source: evil, at: evil, file: evil, line: 7, text: evil }],
          findings: [
            { what: evil, explained: false, because: [{ source: evil, at: evil, file: evil, text: evil }] },
          ],
        },
      }),
      ...result.cells,
    ],
  });

  it('is one page that loads nothing and runs nothing but its own, whatever the evidence says', () => {
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).not.toMatch(/<(?:img|link|iframe)\b|@import|url\(| on\w+="|javascript:/);
    expect(page).toMatch(
      /default-src &#39;none&#39;; style-src &#39;sha256-[\w+/=]+&#39;; script-src &#39;sha256-/,
    );
    expect(page).not.toContain('\u0007');
    // All scripts but one are data; the last one is ours, here without a text.
    expect(page.match(/<script[^>]*>/g)).toEqual([
      '<script type="application/json" id="variants">',
      '<script type="application/json" id="variant-names">',
      '<script type="application/json" id="packed">',
      '<script type="application/octet-stream" id="search-texts">',
      '<script>',
    ]);
    expect(page).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;\\u0007 &amp;amp; &#39;');
  });

  it('opens and closes the same tags', () => {
    const count = (pattern: RegExp): number => [...page.matchAll(pattern)].length;
    for (const tag of [
      'table',
      'tr',
      'td',
      'section',
      'article',
      'noscript',
      'dl',
      'dd',
      'a',
      'code',
      'ol',
    ]) {
      expect(count(new RegExp(`</${tag}\\s*>`, 'g')), tag).toBe(count(new RegExp(`<${tag}[\\s>]`, 'g')));
    }
  });

  it('has a row for each cell, and for each one that ran its killer, proof and claims', () => {
    for (const { address } of result.cells) expect(page).toContain(address);
    expect(page.match(/<noscript /g)).toHaveLength(5);
    expect(page).toContain('node-1/kmsg.log:41');
    expect(page).toMatch(/<tr class="wrong">\s*<th scope="row">api<\/th>/);
  });

  it('links to the evidence beside it', () => {
    expect(page).toContain('href="cells/default/within-limits/node-1/kmsg.log"');
    expect(page).toContain('href="cells/runsc%401%2Bsystemd-cgroup/x/node-1/');
    const ids = new Set([...page.matchAll(/<article\s+id="([^"]+)"/g)].map(([, id]) => id));
    expect(ids.size).toBe(5);
    const anchors = [...page.matchAll(/href="#(cell=default[^"]+)"/g)].map(([, anchor]) => anchor);
    expect(anchors.length).toBeGreaterThan(4);
    expect(anchors.filter((anchor) => !ids.has(anchor))).toEqual([]);
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
