import { describe, expect, it } from 'vitest';
import { renderReproMarkdown } from '../../../../lab/report/markdown/render-repro-markdown.ts';
import { BAD, cell, GOOD, reproOf } from '../repro-cells.ts';

const CHECKED = 'checked by `whodunit check`: accepted';

describe('the Markdown of a reproduction', () => {
  const repro = reproOf(cell(BAD, 'kubelet-cgroup-missing', 'passed'), cell(GOOD, 'none', 'passed'));

  it('says of each cell whether its proof was checked and accepted', () => {
    const cells = repro.cells.map((shown, index) => ({ ...shown, isAccepted: index === 0 }));
    const [, affected = '', fixed = ''] = renderReproMarkdown({ ...repro, cells }).split(
      /\*\*(?:affected|fixed): /,
    );
    expect(affected).toContain(CHECKED);
    expect(fixed).not.toContain(CHECKED);
  });

  it('says nothing where no proof was checked', () => {
    expect(renderReproMarkdown(repro)).not.toContain(CHECKED);
  });
});
