import { describe, expect, it } from 'vitest';
import { answer } from '../../../lab/autopsy/answer.ts';
import { UsageError } from '../../../lab/model/errors/errors.ts';
import type { Autopsy } from '../../../lab/model/saved/autopsy.ts';
import { FORMS, type Pasted } from '../../fixtures/autopsy/paste-forms.ts';
import { haveOf } from '../../fixtures/autopsy/paste-parts.ts';
import { captureNames, judgeCapture, loadCapture } from '../../fixtures/evidence/load-capture.ts';
import { cases, DRAWS_ALL } from '../../fixtures/properties.ts';
import { readTexts } from '../evidence/bundle/read-texts.ts';

/** In a crash loop the newest death is another one than the first, which the capture is about. */
const OF_LOOPS = ['tmpfs-oom-loop', 'container-init-oom'];
/** So many captures, evenly from all of them; all in the part `captures`. */
const SAMPLED = 12;

const names = captureNames().filter((name) => !OF_LOOPS.some((loop) => name.startsWith(loop)));
const step = DRAWS_ALL ? 1 : Math.max(1, Math.floor(names.length / cases(SAMPLED)));
const subjects = names
  .filter((_, index) => index % step === 0)
  .flatMap((name) => {
    const capture = loadCapture(name);
    const truth = judgeCapture(capture).attribution;
    const have = haveOf(capture, truth.victim);
    return have === undefined ? [] : [{ name, truth, have, container: capture.record.victim.container }];
  });

/** What is answered; the message where the question is refused. */
async function ask(files: Pasted, pod: string, container: string): Promise<Autopsy | string> {
  try {
    return answer(await readTexts(files), { pod, container });
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** Forms in which a record is missing that an OOM kill cannot be told without, and what says so. */
const MISSING: Readonly<Record<string, RegExp>> = {
  'pod and events only': /no kernel log of its node was given/,
  'must-gather': /no kernel log of its node was given/,
  'lines cut by the pager': /lines were cut off at the width of a terminal/,
  'plain dmesg and describe': /has no numbers|nothing tells when its lines were written/,
  'crictl inspect and dmesg': /no pod default\/eater is in the input/,
};

describe('what people post', () => {
  it.each(Object.entries(FORMS))(
    '%s: nobody else is named, and never for sure without counters',
    async (form, print) => {
      for (const { name, truth, have, container } of subjects) {
        const found = await ask(print(have), `${have.victim.namespace}/${have.victim.pod}`, container);
        if (typeof found === 'string') continue;
        const { killer, confidence } = found.deaths[0]?.attribution ?? {};
        expect(['unknown', truth.killer], name).toContain(killer);
        if (form !== 'sosreport and pod') expect(confidence, name).not.toBe('proven');
      }
    },
  );

  const capture = loadCapture('oom-single-container');
  const oom = haveOf(capture, judgeCapture(capture).attribution.victim);

  it.each(Object.entries(FORMS))('%s: names an OOM kill, or says what is missing', async (form, print) => {
    if (oom === undefined) throw new TypeError('the capture has no witness');
    const found = await ask(print(oom), 'default/eater', 'eater');
    const missing = MISSING[form];
    if (missing === undefined) {
      expect(found).toMatchObject({ deaths: [{ attribution: { killer: 'memcg-oom' } }] });
      return;
    }
    const said = typeof found === 'string' ? found : [...found.problems, found.deaths[0]?.note].join('\n');
    expect(said).toMatch(missing);
  });
});
