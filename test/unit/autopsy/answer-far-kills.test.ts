import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { OOM, readTexts } from '../evidence/bundle/read-texts.ts';

/** A text of describe has no uid: its end is that of a kill in some zone, if they are no further apart than zones are. */

const described = (finished: string): string => `Name:         api-0
Namespace:    web
Node:         node-7/10.0.0.7
Containers:
  api:
    State:          Running
      Started:      ${finished.replace('21:53:59', '21:54:01')} +0000
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      ${finished.replace('21:53:59', '21:50:00')} +0000
      Finished:     ${finished} +0000
    Restart Count:  1
`;

const ENDED = described('Fri, 20 Nov 2026 21:53:59');

const CASES = [
  { what: 'seven hours before, in a zone', head: '[Fri Nov 20 14:53:57 2026]', killer: 'memcg-oom' },
  { what: 'three days before', head: '[Tue Nov 17 14:53:57 2026]', killer: 'unknown' },
  { what: 'a year before', head: '[Thu Nov 20 21:53:57 2025]', killer: 'unknown' },
  { what: 'in a log without a year', head: 'Nov 20 14:53:57 node-7 kernel:', killer: 'memcg-oom' },
  { what: 'three days before, without a year', head: 'Nov 17 14:53:57 node-7 kernel:', killer: 'unknown' },
  {
    what: 'in the night of the new year, without a year',
    head: 'Jan  1 05:53:57 node-7 kernel:',
    text: described('Thu, 31 Dec 2026 21:53:59'),
    killer: 'memcg-oom',
  },
];

describe('a kill by the kernel of a pod that only its end joins with', () => {
  it.each(CASES)('$what: $killer', async ({ head, text = ENDED, killer }) => {
    const log = OOM.map((line) => `${head} ${line}\n`).join('');
    const found = answer(await readTexts({ 'log.txt': log, 'describe.txt': text }), { pod: 'web/api-0' });
    expect(found.deaths[0]?.attribution.killer).toBe(killer);
  });
});
