import { describe, expect, it } from 'vitest';
import { judgeRepro } from '../../../../lab/judge/compare/judge-repro.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import type { Verdict } from '../../../../lab/model/killers/killers.ts';
import type { ReproOutcome } from '../../../../lab/model/saved/repro.ts';
import { renderRepro } from '../../../../lab/report/terminal/render-repro.ts';
import { renderReproMarkdown } from '../../../../lab/report/markdown/render-repro-markdown.ts';
import { BAD, cell, GOOD, repeated, reproOf } from '../repro-cells.ts';

describe('whether a bug was reproduced', () => {
  const outcomeOf = (affected: Verdict, fixed: Verdict, ...controls: Verdict[]): ReproOutcome =>
    judgeRepro(
      cell(BAD, 'kubelet-cgroup-missing', affected),
      cell(GOOD, 'none', fixed),
      controls.map((verdict) => cell('cgroupfs+cgroupfs', 'none', verdict)),
    ).outcome;

  it('needs both cells as expected', () => {
    expect(outcomeOf('passed', 'passed')).toBe('reproduced');
    expect(outcomeOf('failed', 'passed')).toBe('not-reproduced');
    expect(outcomeOf('passed', 'failed')).toBe('not-reproduced');
  });

  it('is open when any of them was not observed, whatever the other says', () => {
    for (const unseen of ['inconclusive', 'interrupted', 'skipped'] as const) {
      expect(outcomeOf(unseen, 'passed')).toBe('inconclusive');
      expect(outcomeOf('failed', unseen)).toBe('inconclusive');
      expect(outcomeOf('passed', 'passed', unseen)).toBe('inconclusive');
    }
  });

  it('is open when a control does not behave', () => {
    expect(outcomeOf('passed', 'passed', 'passed')).toBe('reproduced');
    expect(outcomeOf('passed', 'passed', 'failed')).toBe('inconclusive');
  });

  it('needs two ends that differ: with values that were asked for, the affected side may have to end like the other', () => {
    const judged = judgeRepro(cell(BAD, 'none', 'passed'), cell(GOOD, 'none', 'passed'), []);
    expect(judged).toMatchObject({
      outcome: 'not-reproduced',
      note: `${BAD}/minute-survivor does not show it: it ends like default/minute-survivor, none`,
    });
  });

  it('says in one sentence what was seen', () => {
    const affected = cell(BAD, 'kubelet-cgroup-missing', 'failed');
    expect(judgeRepro(affected, cell(GOOD, 'none', 'passed'), []).note).toBe(
      `${affected.address} does not show it: expected killed by kubelet-cgroup-missing, observed alive`,
    );
  });
});

const repro = reproOf(cell(BAD, 'kubelet-cgroup-missing', 'passed'), cell(GOOD, 'none', 'passed'));

describe('whether a repeated bug was reproduced', () => {
  const outcomeOf = (shown: number, right: number, of: number): ReproOutcome =>
    judgeRepro(repeated(BAD, shown, of), repeated(GOOD, right, of), []).outcome;

  it('says how many of the runs show it', () => {
    expect(judgeRepro(repeated(BAD, 5, 5), repeated(GOOD, 5, 5), [])).toMatchObject({
      outcome: 'reproduced',
      note: 'kubelet-cgroup-missing on systemd+cgroupfs/minute-survivor in 5 of 5 runs, none on default/minute-survivor in 5 of 5 runs',
    });
  });

  it('needs no run that fails, but more than chance would give', () => {
    expect([outcomeOf(8, 10, 10), outcomeOf(5, 20, 20), outcomeOf(0, 10, 10)]).toEqual([
      'reproduced',
      'inconclusive',
      'not-reproduced',
    ]);
    const few = judgeRepro(repeated(BAD, 2, 5), repeated(GOOD, 5, 5), []);
    expect(few.outcome).toBe('inconclusive');
    expect(few.note).toContain('systemd+cgroupfs/minute-survivor in 2 of 5 runs shows it');
  });

  it('is refuted by a single run of the fixed side that is not as it should be', () => {
    expect(outcomeOf(10, 9, 10)).toBe('not-reproduced');
  });

  it('counts a run without a verdict against it', () => {
    const withOpen = (cells: CellResult, open: number): CellResult => ({
      ...cells,
      attempts: [...cells.attempts!, ...Array.from({ length: open }, () => cells.attempts![0]!)],
    });
    const [affected, fixed] = [repeated(BAD, 7, 10), repeated(GOOD, 10, 10)];
    expect(judgeRepro(affected, fixed, []).outcome).toBe('reproduced');
    expect(judgeRepro(withOpen(affected, 10), fixed, []).outcome).toBe('inconclusive');
  });

  it('compares no numbers of one run where the runs differ', () => {
    const comparison = { measure: 'zombies', statistic: 'max', ratioAtLeast: 2, reason: 'r' } as const;
    const mixed = judgeRepro(repeated(BAD, 9, 10), repeated(GOOD, 10, 10), [], [comparison]);
    expect([mixed.compared, mixed.outcome]).toEqual([[], 'reproduced']);
  });
});

describe('a reproduction with other values than those of the bug', () => {
  const asked = {
    ...repro,
    overrides: { affected: { kubernetes: '1.36', os: 'trixie' }, fixed: {} },
    repeat: 3,
  };

  it('says so, in the terminal and in the Markdown, with the command that asks it again', () => {
    expect(renderRepro(asked)).toContain('\nasked     affected kubernetes=1.36 os=trixie\n');
    const markdown = renderReproMarkdown(asked);
    expect(markdown).toContain(
      'Asked with other values than those of the report: `affected kubernetes=1.36 os=trixie`.',
    );
    expect(markdown).toContain('Each side was run 3 times.');
    expect(markdown).toContain(
      'npx whodunit repro driver-mismatch-kill-loop --affected kubernetes=1.36 os=trixie --repeat 3',
    );
    expect(renderReproMarkdown(repro)).not.toMatch(/Asked with|Each side was run/);
  });
});

describe('a reproduction in the terminal', () => {
  it('shows the two verdicts side by side, and the outcome as the last line', () => {
    const lines = renderRepro(repro).split('\n');
    expect(lines).toContain('          affected                                     fixed');
    expect(lines).toContain('killer    kubelet-cgroup-missing                       none (survived)');
    expect(lines).toContain('verdict   passed                                       passed');
    expect(lines).toContain(
      'proof     node-1/witness.jsonl:412                     node-1/witness.jsonl:412',
    );
    expect(lines).toContain('runc      1.1.5                                        -');
    expect(lines.at(-1)).toBe(
      'reproduced: kubelet-cgroup-missing on systemd+cgroupfs/minute-survivor, none on default/minute-survivor',
    );
    for (const line of lines.slice(1, -1)) expect(line.length, line).toBeLessThanOrEqual(100);
  });

  it('tells which versions have the bug, and what can be done meanwhile', () => {
    const text = renderRepro(repro);
    expect(text).toContain(
      '\naffects   kubernetes >=1.22 (from 1.31 on only where containerd is older than 2.0',
    );
    expect(text).toContain('\nmeanwhile Give both the same driver');
    const bug = { ...repro.bug, ranges: [], workaround: undefined };
    expect(renderRepro({ ...repro, bug })).not.toMatch(/^(?:affects|meanwhile)/m);
  });

  it('breaks what is longer than its column, and loses nothing', () => {
    const long = { ...cell(BAD, 'kubelet-cgroup-missing', 'inconclusive'), note: `a ${'x'.repeat(100)} b` };
    const text = renderRepro(reproOf(long, cell(GOOD, 'none', 'passed')));
    const table = text.slice(0, text.indexOf('inconclusive: '));
    expect(table.match(/x/g)!.length - 'expected'.match(/x/g)!.length).toBeGreaterThanOrEqual(100);
  });
});

describe('a reproduction as Markdown', () => {
  const markdown = renderReproMarkdown(repro);

  it('has versions, what was expected, what happened, proof with file and line, and how to repeat it', () => {
    expect(markdown).toContain('| kernel | 6.1.0-56 | 6.1.0-56 |');
    expect(markdown).toContain('| expected | kubelet-cgroup-missing, within 300 s | none, within 300 s |');
    expect(markdown).toContain('| happened | **kubelet-cgroup-missing** | **none (survived)** |');
    expect(markdown).toContain('node-1/witness.jsonl:412  10:01:01.000  cgroup  cgroup.subtree\u005fcontrol');
    expect(markdown).toContain('npx whodunit repro driver-mismatch-kill-loop');
    expect(markdown).toContain('- <https://github.com/kubernetes/kubernetes/issues/131567>');
  });

  it('has the affected versions with their source, and the workaround with its link', () => {
    expect(markdown).toMatch(
      /^- kubernetes >=1\.22 \(.*\): <https:\/\/github\.com\/kubernetes\/kubernetes\/issues\/137695>$/m,
    );
    expect(markdown).toMatch(/^Give both the same driver.*#containerd-systemd>$/m);
    const bug = { ...repro.bug, ranges: [], workaround: undefined };
    expect(renderReproMarkdown({ ...repro, bug })).not.toMatch(/Affected versions|Workaround/);
  });

  it('shows what its file marks as code as code, and nothing else of it as markup', () => {
    expect(markdown).toContain('with `SystemdCgroup = true` in the options');
    const summary = 'a <b> in `runsc_config\n<id>` and a_lone ` of #1';
    const text = renderReproMarkdown({ ...repro, bug: { ...repro.bug, summary } });
    expect(text).toContain('\na &lt;b> in `runsc_config <id>` and a\\_lone \\` of `#1`\n');
  });

  it('lists the stack from the kernel upwards', () => {
    const rows = markdown.match(/^\| (kernel|kubelet|runc) /gm);
    expect(rows).toEqual(['| kernel ', '| kubelet ', '| runc ']);
  });

  it('quotes proof in a block that nothing in the proof can end', () => {
    const fences = markdown.split('\n').filter((line) => /^`{3,}$/.test(line));
    expect(fences).toEqual(['````', '````', '````', '````', '```', '```']);
  });

  it('keeps one row a line although texts hold pipes', () => {
    const rows = markdown.split('\n').filter((line) => line.startsWith('|'));
    for (const row of rows) expect(row.replaceAll('\\|', '').match(/\|/g), row).toHaveLength(4);
  });
});
