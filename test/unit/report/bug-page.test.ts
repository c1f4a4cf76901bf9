import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../lab/model/axes.ts';
import type { CellResult, RunResult } from '../../../lab/model/formats.ts';
import { selectorsOfBug } from '../../../lab/plan/bug-cells.ts';
import { findBlock } from '../../../lab/report/marked-block.ts';
import type { RecordedCell, RecordedRun } from '../../../lab/report/recorded-run.ts';
import {
  renderBugCatalogue,
  renderBugResults,
  type MeasuredBug,
} from '../../../lab/report/render-bug-page.ts';
import { formatBlock } from '../../../bin/format-block.ts';
import { configWith, PROJECT, readProjectText } from '../project-files.ts';

const { bugs, scenarios } = configWith();
const bug = bugs.find(({ id }) => id === 'supercronic-zombies')!;

function cellOf(address: string, last: number): CellResult {
  return {
    ...{ address, variant: { ...DEFAULT_VARIANT }, scenario: bug.scenario, verdict: 'passed' },
    expected: {},
    attribution: {
      ...{ killer: 'none', victim: 'cron/cron', confidence: 'proven' },
      because: [
        {
          source: 'witness',
          at: '2026-11-22T10:00:00.000Z',
          file: 'node-1/witness.jsonl',
          line: 7,
          text: 'it runs',
        },
      ],
    },
    ...{ claims: [], mismatches: [], evidence: `cells/${address}` },
    measures: [{ measure: 'zombies', unit: '', n: 40, last, max: last, points: [], bounds: [] }],
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 107_187 },
  };
}

const cells = [
  cellOf('default/supercronic-zombies', 53),
  cellOf('default/supercronic-zombies[supercronic=0.2.33]', 0),
];
const run: RecordedRun = {
  result: {
    run: '20261122-1',
    startedAt: '2026-11-22T17:14:39.000Z',
    accelerator: 'tcg',
    cells,
  } as unknown as RunResult,
  events: [],
  effective: new Map([
    [
      cells[0]!.address,
      { formatVersion: 1, nodes: [], versions: { kernel: '6.1.0-56', kubelet: 'v1.34.2' } },
    ],
  ]),
};
const recorded = cells.map((cell): RecordedCell => ({ cell, run }));
const measured = (changes: Partial<MeasuredBug> = {}): MeasuredBug => ({
  ...{
    bug,
    cells: [...recorded, undefined],
    judged: { outcome: 'reproduced', note: 'max zombies 53 beside 0' },
  },
  ...changes,
});

describe('what runs found of the bugs', () => {
  it('has both sides with verdicts, figures, versions, time, run and date', () => {
    const lines = renderBugResults([measured()], [run]).split('\n');
    expect(lines).toContain('**reproduced**: max zombies 53 beside 0.');
    expect(lines).toContain('|  | affected | fixed | control |');
    expect(lines).toContain('| verdict | passed | passed | - |');
    expect(lines.find((line) => line.startsWith('| `zombies` |'))).toMatch(/last 53.*last 0.*\| - \|$/);
    expect(lines).toContain('| kernel | 6.1.0-56 | - | - |');
    expect(lines).toContain('| took | 1m 47s | 1m 47s | - |');
    expect(lines).toContain('| run | `20261122-1`, 2026-11-22 | `20261122-1`, 2026-11-22 | - |');
  });

  it('names the runs that have a cell of a bug, and no other', () => {
    const other = { ...run, result: { ...run.result, run: '20261122-2' } };
    const text = renderBugResults([measured()], [run, other]);
    expect(text).toContain('- run `20261122-1` of 2026-11-22');
    expect(text).not.toContain('20261122-2');
  });

  it('names the bugs that no run has, and concludes nothing where a cell is missing', () => {
    const other = { ...bug, id: 'another-bug' };
    const text = renderBugResults(
      [
        measured({ judged: undefined }),
        measured({ bug: other, cells: [undefined, undefined], judged: undefined }),
      ],
      [run],
    );
    expect(text).toContain('Not all of it was run.');
    expect(text).toContain('Not in these runs: `another-bug`.');
    expect(renderBugResults([measured({ cells: [undefined] })], [])).toBe('Made from no run yet.');
  });

  it('has the proof of absence of a historic bug, and of no other', () => {
    const historic = measured({ bug: { ...bug, status: 'historic' } });
    expect(renderBugResults([historic], [run])).toMatch(
      /Where it is looked for now:\n\n.*node-1\/witness.jsonl:7/s,
    );
    expect(renderBugResults([measured()], [run])).not.toContain('Where it is looked for now');
  });
});

describe('docs/bugs.md', () => {
  it('has what the files of the bugs say, as `npm run docs` writes it', async () => {
    const catalogue = bugs.map((each) => ({ bug: each, selectors: selectorsOfBug(each, scenarios) }));
    const text = await formatBlock(renderBugCatalogue(catalogue), `${PROJECT}/docs/bugs.md`);
    expect(findBlock(readProjectText('docs/bugs.md'), 'bugs')).toBe(text);
    for (const { id, workaround } of bugs) {
      expect(text).toContain(`### ${id}`);
      if (workaround !== undefined) expect(text).toContain('- meanwhile: ');
    }
  });
});
