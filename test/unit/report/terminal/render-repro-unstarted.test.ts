import { describe, expect, it } from 'vitest';
import { judgeRepro } from '../../../../lab/judge/compare/judge-repro.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { renderRepro } from '../../../../lab/report/terminal/render-repro.ts';
import { renderReproMarkdown } from '../../../../lab/report/markdown/render-repro-markdown.ts';
import { BAD, cell, GOOD, repeated, reproOf } from '../repro-cells.ts';

const LINE =
  'level=error msg="RunPodSandbox failed" error="write /sys/fs/cgroup/kubepods/pod1_2/cgroup.procs: device or resource busy"';

/** A cell in whose world no pod started, as declared. */
function unstarted(drivers: string, expected = true): CellResult {
  return {
    ...cell(drivers, 'none', 'skipped'),
    attribution: { killer: 'unknown', victim: '', confidence: 'none', because: [] },
    claims: [],
    evidence: '',
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 0 },
    note: `busy-procs: the cgroup is busy (https://a.test/x); seen: ${LINE}`,
    startFailure: { id: 'busy-procs', expected, text: 'cgroup.procs: device or resource busy', seen: LINE },
  };
}

describe('whether a bug was reproduced that starts no pod', () => {
  const good = cell(GOOD, 'none', 'passed');

  it('needs the declared text on the affected side, and a fixed side as it should be', () => {
    expect(judgeRepro(unstarted(BAD), good, [cell('cgroupfs+cgroupfs', 'none', 'passed')])).toMatchObject({
      outcome: 'reproduced',
      note: `no pod starts (containerd says "cgroup.procs: device or resource busy") on ${BAD}/minute-survivor, none on default/minute-survivor`,
    });
    expect(judgeRepro(unstarted(BAD), cell(GOOD, 'none', 'failed'), []).outcome).toBe('not-reproduced');
    expect(judgeRepro(unstarted(BAD), repeated(GOOD, 5, 5), []).outcome).toBe('reproduced');
    expect(judgeRepro(unstarted(BAD), repeated(GOOD, 4, 5), []).outcome).toBe('not-reproduced');
  });

  it('is refuted by a fixed side that starts no pod, and open when a control does not', () => {
    const affected = cell(BAD, 'kubelet-cgroup-missing', 'passed');
    for (const side of [affected, unstarted(BAD)]) {
      const bad = judgeRepro(side, unstarted(GOOD), []);
      expect(bad.outcome).toBe('not-reproduced');
      expect(bad.note).toContain('is not as it should be: no pod starts (containerd says "cgroup.procs');
      const odd = judgeRepro(side, good, [unstarted('cgroupfs+cgroupfs')]);
      expect(odd.outcome).toBe('inconclusive');
      expect(odd.note).toContain(
        'the control cgroupfs+cgroupfs/minute-survivor does not behave: no pod starts',
      );
    }
  });

  it('is open when a rule refused the affected side, and when another failure was seen than the bug speaks of', () => {
    const refused = { ...cell(BAD, 'none', 'skipped'), note: 'rule: no such thing (https://a.test/x)' };
    expect(judgeRepro(refused, good, []).outcome).toBe('inconclusive');
    const other = judgeRepro(unstarted(BAD, false), good, []);
    expect(other.outcome).toBe('inconclusive');
    expect(other.note).toContain(`${BAD}/minute-survivor is skipped: busy-procs`);
  });

  it('is shown with the line of the journal as its proof', () => {
    const markdown = renderReproMarkdown(reproOf(unstarted(BAD), good));
    expect(markdown).toContain('| expected | no pod starts | none, within 300 s |');
    expect(markdown).toContain('| happened | **no pod starts** | **none (survived)** |');
    expect(markdown).toContain(
      `\n**affected: \`${BAD}/minute-survivor\`**\n\nbusy-procs: the cgroup is busy (\`https://a.test/x\`).\n`,
    );
    expect(markdown.split('\n').filter((line) => line.includes(LINE))).toEqual([`containerd  ${LINE}`]);
    const text = renderRepro(reproOf(unstarted(BAD), good));
    expect(text).toMatch(/^killer {4}no pod starts +none \(survived\)$/m);
    expect(text).toMatch(/^proof {5}containerd: cgroup.procs: device or/m);
  });
});
