import { describe, expect, it } from 'vitest';
import { answer } from '../../../../lab/autopsy/answer.ts';
import { readTexts } from '../../evidence/bundle/read-texts.ts';

const ID = '15beb68826895f5ab6922c6dceac8a486883366a9ff4ebff0ae9f8da6ca968ef';
const STATE = '    State:          Terminated\n      Reason:       Error\n      Exit Code:    137\n';

const CASES: readonly (readonly [what: string, text: string, victim: string])[] = [
  ['the state of a container, without any name', STATE, 'a pod without a name'],
  ['the container only', `Containers:\n  web:\n${STATE}`, 'a pod without a name/web'],
  [
    'a line of the runtime, which knows ids only',
    `time="2026-11-20T21:53:59Z" level=info msg="shim disconnected" id=${ID}\n`,
    `a pod without a name/${ID.slice(0, 12)}`,
  ],
  [
    'a table, which has no containers',
    'NAME    READY   STATUS      RESTARTS   AGE\nweb-0   0/1     OOMKilled   0          2m\n',
    'web-0',
  ],
];

describe('the victim', () => {
  it.each(CASES)('is called by what is known of it: %s', async (_what, text, victim) => {
    const { deaths } = answer(await readTexts({ 'a.txt': text }), {});
    expect(deaths[0]?.attribution.victim).toBe(victim);
  });
});
