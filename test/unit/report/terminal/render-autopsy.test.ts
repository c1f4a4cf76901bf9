import { describe, expect, it } from 'vitest';
import { answer } from '../../../../lab/autopsy/answer.ts';
import { renderAskedDeath, renderListedDeaths } from '../../../../lab/report/terminal/render-autopsy.ts';
import { readTexts } from '../../evidence/bundle/read-texts.ts';

const ENDED = `    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
      Started:      Fri, 20 Nov 2026 21:50:00 +0000
      Finished:     Fri, 20 Nov 2026 21:53:59 +0000
`;

describe('the page of an autopsy', () => {
  it('calls a killer that nobody can name unknown, of a death and in a list', async () => {
    const autopsy = answer(await readTexts({ 'paste.txt': ENDED }), { pod: 'web/api-0' });
    expect(renderAskedDeath(autopsy)).toMatch(/^killer +unknown \(proof is missing\)$/m);
    expect(renderListedDeaths(autopsy)).toMatch(/ unknown \(proof is missing\)$/m);
  });
});
