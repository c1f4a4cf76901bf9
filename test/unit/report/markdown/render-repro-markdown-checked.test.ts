import { describe, expect, it } from 'vitest';
import type { CheckedProof } from '../../../../lab/model/saved/checked.ts';
import { renderReproMarkdown } from '../../../../lab/report/markdown/render-repro-markdown.ts';
import { BAD, cell, GOOD, reproOf } from '../repro-cells.ts';

const ACCEPTED: CheckedProof = { ok: true, problems: [] };
const problem = 'the record does not say | that';
const placed = { problem, file: 'node-1/kmsg.log', line: 58 };
const WORDS = /proof is (?:not )?(?:checked|accepted)/;

describe('the Markdown of a reproduction', () => {
  const repro = reproOf(cell(BAD, 'kubelet-cgroup-missing', 'passed'), cell(GOOD, 'none', 'passed'));
  const affectedOf = (checked: CheckedProof): string => {
    const cells = repro.cells.map((shown, index) => (index === 0 ? { ...shown, checked } : shown));
    const [, affected = '', fixed = ''] = renderReproMarkdown({ ...repro, cells }).split(
      /\*\*(?:affected|fixed): /,
    );
    expect(fixed).not.toMatch(WORDS);
    return affected;
  };

  it.each<[string, CheckedProof, string]>([
    ['accepted', ACCEPTED, 'Its proof is checked by `whodunit check`: accepted.'],
    [
      'not accepted, and by what',
      { ok: false, problems: [placed, { problem: 'a link has another time' }] },
      [
        '**Its proof is not accepted by `whodunit check`:**',
        '',
        '- `node-1/kmsg.log:58`: the record does not say \\| that',
        '- a link has another time',
        '',
      ].join('\n'),
    ],
    [
      'not accepted, by more than fit',
      { ok: false, problems: Array.from({ length: 7 }, () => ({ problem })) },
      '- and 2 more\n',
    ],
    [
      'not checked, and why',
      { ok: false, note: 'node-1/kmsg.log has more than 256 MiB', problems: [] },
      'Its proof is not checked: node-1/kmsg.log has more than 256 MiB.',
    ],
  ])('says of a cell that its proof is %s', (_, checked, text) => {
    expect(affectedOf(checked)).toContain(text);
  });

  it('says nothing where no proof was checked', () => {
    expect(renderReproMarkdown(repro)).not.toMatch(WORDS);
  });
});
