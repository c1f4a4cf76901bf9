import { scenarioSchema } from '../../../../lab/model/declared/scenario.ts';

/** A scenario whose victim has to run out of memory. */
export const DYING = scenarioSchema.parse({
  formatVersion: 1,
  name: 'dies',
  title: 'it dies',
  victim: { selector: 'app=eater', container: 'eater' },
  expect: { killer: 'memcg-oom' },
  timeoutSeconds: 60,
  makeItFail: 'it cannot',
});
