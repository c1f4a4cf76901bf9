import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../../../lab/drivers/files/files.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import type { CellResult, RunResult } from '../../../../lab/model/saved/formats.ts';
import { selectorsOfBug } from '../../../../lab/plan/bugs/bug-cells.ts';
import { findBlock } from '../../../../bin/docs/marked-block.ts';
import type { RecordedCell, RecordedRun } from '../../../../lab/report/words/recorded-run.ts';
import {
  renderBugCatalogue,
  renderBugResults,
  type MeasuredBug,
} from '../../../../bin/docs/render-bug-page.ts';
import { parseResultRows } from '../../../../bin/docs/result-row.ts';
import { renderTablesOfBugs } from '../../../../bin/bug-tables.ts';
import { formatBlock } from '../../../../bin/format-block.ts';
import { configWith, PROJECT, readProjectText } from '../../project-files.ts';

const config = configWith();
const { bugs, scenarios } = config;
const bug = bugs.find(({ id }) => id === 'supercronic-zombies')!;

function cellOf(address: string, last: number): CellResult {
  return {
    address,
    variant: { ...DEFAULT_VARIANT },
    scenario: bug.scenario,
    verdict: 'passed',
    expected: {},
    attribution: {
      killer: 'none',
      victim: 'cron/cron',
      confidence: 'proven',
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
    claims: [],
    mismatches: [],
    evidence: `cells/${address}`,
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
  bug,
  cells: [...recorded, undefined],
  judged: { outcome: 'reproduced', note: 'max zombies 53 beside 0' },
  ...changes,
});

const another = { ...bug, id: 'another-bug' };

describe('what runs found of the bugs', () => {
  it('says of a repeated cell how many of its runs ended as expected, and nothing of the kind otherwise', () => {
    const [affected, fixed] = recorded;
    const repeated: CellResult = {
      ...affected!.cell,
      verdict: 'failed',
      attempts: [
        { verdict: 'passed', killer: 'none', evidence: 'cells/run-1' },
        { verdict: 'failed', killer: 'none', evidence: 'cells/run-2' },
      ],
      note: '1 of 2 runs as expected',
    };
    const lines = renderBugResults([measured({ cells: [{ cell: repeated, run }, fixed, undefined] })], '');
    expect(lines.split('\n')).toContain('| runs | 1 of 2 runs as expected | 1 | - |');
    expect(renderBugResults([measured()], '')).not.toContain('| runs |');
  });

  it('has both sides with verdicts, figures, versions, time, run and date', () => {
    const lines = renderBugResults([measured()], '').split('\n');
    expect(lines).toContain('**reproduced**: max zombies 53 beside 0.');
    expect(lines).toContain('|  | affected | fixed | control |');
    expect(lines).toContain('| verdict | passed | passed | - |');
    expect(lines.find((line) => line.startsWith('| `zombies` |'))).toMatch(/last 53.*last 0.*\| - \|$/);
    expect(lines).toContain('| kernel | 6.1.0-56 | - | - |');
    expect(lines).toContain('| took | 1m 47s | 1m 47s | - |');
    expect(lines).toContain('| run | `20261122-1`, 2026-11-22 | `20261122-1`, 2026-11-22 | - |');
  });

  it('has what containerd said where no pod starts', () => {
    const startFailure = { id: 'no-start', expected: true, text: 'is busy', seen: 'it `is busy` | now' };
    const cell = { ...cells[0]!, verdict: 'skipped' as const, startFailure };
    const lines = renderBugResults([measured({ cells: [{ cell, run }, recorded[1]] })], '').split('\n');
    expect(lines).toContain('| happened | no pod starts | none (survived) |');
    expect(lines).toContain('| took | - | 1m 47s |');
    expect(lines.slice(-3)).toEqual([
      "What containerd's journal says where no pod starts:",
      '',
      '- affected: `` it `is busy` \\| now ``',
    ]);
  });

  it('names in each section the runs that it was made of, and no other', () => {
    const own = { run: '20261123-1', accelerator: 'kvm', cells: cells.slice(1) };
    const later = { ...run, result: { ...run.result, ...own } } as RecordedRun;
    const text = renderBugResults(
      [measured(), measured({ bug: another, cells: [recorded[0], { cell: cells[1]!, run: later }] })],
      '',
    );
    const [, first, second] = text.split('### What was seen of ');
    const ofFirst = '- run `20261122-1` of 2026-11-22, emulated (TCG), 2 cells';
    expect(first).toContain(`supercronic-zombies\n\nMade from:\n\n${ofFirst}\n\n**reproduced**`);
    const ofSecond = `${ofFirst}\n- run \`20261123-1\` of 2026-11-22, KVM, 1 cell`;
    expect(second).toContain(`another-bug\n\nMade from:\n\n${ofSecond}\n\n**reproduced**`);
  });

  it('names the bugs that were not run yet, and concludes nothing where a cell is missing', () => {
    const missing = measured({ bug: another, cells: [undefined, undefined], judged: undefined });
    const text = renderBugResults([measured({ judged: undefined }), missing], '');
    expect(text).toContain('Not all of it was run.');
    expect(text.split('\n').at(-1)).toBe('Not run yet: `another-bug`.');
    expect(renderBugResults([missing], '')).toBe('Not run yet: `another-bug`.');
    expect(renderBugResults([measured()], '')).not.toContain('Not run yet');
  });

  it('keeps of earlier runs what these do not have, and nothing of a bug that is gone', () => {
    const sectionOf = (id: string): string =>
      `### What was seen of ${id}\n\nas it *stands* in the file: 1 < 2`;
    const ids = ['another-bug', bug.id, 'gone'];
    const before = `${ids.map(sectionOf).join('\n\n')}\n\nNot run yet: \`third\`.`;
    const of = (id: string, has: MeasuredBug['cells']): MeasuredBug =>
      measured({ bug: { ...bug, id }, cells: has });
    const whole = of(bug.id, recorded);
    const kept = [of('another-bug', [undefined]), of('third', [undefined])];
    const text = renderBugResults([...kept, whole], before);
    const own = renderBugResults([whole], '');
    expect(text).toBe(`${sectionOf('another-bug')}\n\n${own}\n\nNot run yet: \`third\`.`);
    expect(renderBugResults([of(bug.id, [recorded[0], undefined])], before)).toBe(sectionOf(bug.id));
  });

  it('has the proof of absence of a historic bug, and of no other', () => {
    const historic = measured({ bug: { ...bug, status: 'historic' } });
    expect(renderBugResults([historic], '')).toMatch(
      /Where it is looked for now:\n\n.*node-1\/witness.jsonl:7/s,
    );
    expect(renderBugResults([measured()], '')).not.toContain('Where it is looked for now');
  });
});

describe('docs/measured/bugs.md', () => {
  it('has what the files of the bugs say, as `npm run docs` writes it', async () => {
    const catalogue = bugs.map((known) => ({ bug: known, selectors: selectorsOfBug(known, scenarios) }));
    const text = await formatBlock(renderBugCatalogue(catalogue), `${PROJECT}/docs/measured/bugs.md`);
    expect(findBlock(readProjectText('docs/measured/bugs.md'), 'bugs')).toBe(text);
    for (const { id, workaround } of bugs) {
      expect(text).toContain(`### ${id}`);
      if (workaround !== undefined) expect(text).toContain('- meanwhile: ');
    }
    expect(text).toContain('`SystemdCgroup = true`');
    expect(text).not.toContain('\\`');
  });

  it('has where bugs are and where not, as `npm run docs` writes it', async () => {
    const rows = parseResultRows(readLines(join(PROJECT, 'docs/measured/results.jsonl')));
    const text = await formatBlock(renderTablesOfBugs(config, rows), `${PROJECT}/docs/measured/bugs.md`);
    expect(findBlock(readProjectText('docs/measured/bugs.md'), 'bug-tables')).toBe(text);
    expect(text).toMatch(/^### Where driver-mismatch-kill-loop is$/m);
    expect(text).toMatch(/^\| `systemd\+cgroupfs\/minute-survivor` .*\| kubelet-cgroup-missing /m);
    expect(text).toMatch(
      /^\| `1\.22_systemd\+cgroupfs_containerd-2\.1\.4\/minute-survivor` .*\| skipped +\| containerd 2\.0 dropped/m,
    );
  });

  it('has of each bug what runs found, or says that none has it', async () => {
    const page = `${PROJECT}/docs/measured/bugs.md`;
    const options = { ...(await resolveConfig(page)), filepath: page };
    const before = findBlock(readProjectText('docs/measured/bugs.md'), 'bug-results')!;
    const unseen = bugs.map((known) => ({ bug: known, cells: [undefined], judged: undefined }));
    expect((await format(renderBugResults(unseen, before), options)).trim()).toBe(before);
    const made = before.split('### What was seen of ').slice(1);
    for (const section of made) expect(section).toMatch(/^\S+\n\nMade from:\n\n- run `/);
  });
});
