import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reportToGithub } from '../../../../lab/commands/output/report-to-github.ts';
import {
  renderGateSummary,
  renderStepSummary,
  reportGate,
  reportRun,
} from '../../../../lab/report/markdown/render-github.ts';
import { FULL_GATE } from '../full-answers.ts';
import { createCell, createRun, createRunOf } from '../made-run.ts';

const bad = createRun({
  passed: {},
  failed: { mismatches: [{ field: 'killer', expected: 'none', observed: 'memcg-oom' }] },
  inconclusive: { note: '100 % lost\r\n::error title=forged::nobody said this' },
  skipped: { note: 'a rule' },
});

describe('annotations of GitHub Actions', () => {
  it('are an error for what failed and a warning for what was not observed', () => {
    expect(reportRun(bad).annotations).toEqual([
      '::error title=default/a-failed failed::expected killer: none%0Aobserved killer: memcg-oom%0A' +
        'killer memcg-oom at pod level%0Aevidence cells/default/a-failed',
      '::warning title=default/a-inconclusive inconclusive::100 %25 lost\\u000d%0A\\::error title=forged::nobody said this%0A' +
        'killer memcg-oom at pod level%0Aevidence cells/default/a-inconclusive',
    ]);
  });

  it('cannot be ended, nor given another property, by the address of a cell', () => {
    const address = 'default/x[a=1,b=2%,line=7::y\n::error::z]';
    const [line = ''] = reportRun(createRunOf([createCell('x', { address, verdict: 'failed' })])).annotations;
    expect(line).not.toContain('\n');
    expect(line.split('::')).toHaveLength(3);
    expect(line).toContain('title=default/x[a=1%2Cb=2%25%2Cline=7%3A%3Ay%0A\\%3A%3Aerror%3A%3Az] failed::');
  });

  it('are as many as GitHub shows, and the last says how many more there are', () => {
    const cells = Array.from({ length: 12 }, (_, index) => createCell(`c${index}`, { verdict: 'failed' }));
    const lines = reportRun(createRunOf(cells)).annotations;
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toBe('::error title=3 more cells::the summary of this step has all of them');
    expect(reportRun(createRunOf(cells.slice(2))).annotations).toHaveLength(10);
  });
});

describe('a gate in GitHub Actions', () => {
  it('is an error for each changed death, a warning for what is not decided, and its page', () => {
    const { annotations, summary } = reportGate(FULL_GATE);
    const [changed] = FULL_GATE.changed;
    expect(annotations).toEqual([
      `::error title=${changed?.address ?? ''} changed::${changed?.says ?? ''}`,
      ...FULL_GATE.notDecided.map(({ address, why }) => `::warning title=${address} not decided::${why}`),
    ]);
    expect(summary).toContain(`**\`${changed?.address ?? ''}\`**`);
  });

  it('has a summary that GitHub takes: without what is as before, else only how many deaths changed', () => {
    const whole = renderGateSummary(FULL_GATE);
    expect(whole).toContain('**As before**');
    const short = renderGateSummary(FULL_GATE, whole.length);
    expect(short).toContain(`**\`${FULL_GATE.changed[0]?.address ?? ''}\`**`);
    expect(short).not.toContain('**As before**');
    expect(renderGateSummary(FULL_GATE, 200)).toMatch(/^### whodunit: \d+ changed deaths?\n\nThe whole page/);
  });
});

describe('the summary of a step', () => {
  it('has every cell, as long as GitHub takes it', () => {
    expect(renderStepSummary(bad)).toContain('`default/a-passed`');
    const short = renderStepSummary(bad, renderStepSummary(bad).length);
    expect(short).not.toContain('`default/a-passed`');
    expect(short).toContain('**`default/a-failed` failed**');
    expect(renderStepSummary(bad, 200)).toMatch(/^### whodunit .*: 1 passed, 1 failed.*\n\nThe summary/);
  });
});

describe('a run in GitHub Actions', () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'whodunit-github-'))));
  afterEach(() => rmSync(dir, { recursive: true }));

  const notesOf = (github: { summaryFile?: string } | undefined): string[] => {
    const notes: string[] = [];
    const progress = {
      note: (text: string) => void notes.push(text),
      step: () => Promise.reject(new Error()),
    };
    const printCommand = (command: string): void => void notes.push(command);
    reportToGithub({ github: github && { ...github, printCommand }, progress }, () => reportRun(bad));
    return notes;
  };

  it('writes its annotations, and adds its summary to that of others', () => {
    const summaryFile = join(dir, 'summary.md');
    expect(notesOf({ summaryFile })).toHaveLength(2);
    notesOf({ summaryFile });
    expect(readFileSync(summaryFile, 'utf8').match(/^### whodunit/gm)).toHaveLength(2);
  });

  it('says when the summary cannot be written', () => {
    expect(notesOf({ summaryFile: dir }).at(-1)).toBe(
      `the step summary was not written: ${dir} is a folder, and a file is needed there`,
    );
  });

  it('says nothing elsewhere', () => expect(notesOf(undefined)).toEqual([]));
});
