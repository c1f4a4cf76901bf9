import { describe, expect, it } from 'vitest';
import { judgeCapture, loadCapture } from '../../../../fixtures/evidence/load-capture.ts';
import { leaveOnly } from '../../../../fixtures/evidence/take-away.ts';
import { judgedCases } from '../../../../fixtures/judged-cases/load-judged-case.ts';

const cases = judgedCases();

function judge(name: RegExp) {
  const [found] = cases.filter((judged) => name.test(judged.name));
  return judgeCapture(found!.capture).attribution;
}

describe('a stop at the runtime', () => {
  it('is a person when the kubelet was heard and says nothing of a stop, although others asked right after', () => {
    expect(judge(/^N06/)).toMatchObject({
      killer: 'runtime-stop',
      confidence: 'likely',
      doubts: [expect.stringContaining('asked for by others (deadline)')],
    });
  });

  it('is nobody when the kubelet was not heard', () => {
    const fewer = leaveOnly(loadCapture('runtime-stop'), ['pods', 'witness', 'kmsg', 'containerd'], 'absent');
    expect(judgeCapture(fewer!).attribution.killer).toBe('unknown');
  });
});

describe('a stop by the kubelet for a reason that is not listed', () => {
  it.each([/^K05/, /^K06/, /^K07/, /^M38/, /^M52/])(
    'is unknown, and not the deletion that came later: %s',
    (name) => {
      const { killer, open = [] } = judge(name);
      expect(killer).toBe('unknown');
      expect(open.map(({ what }) => what)).toContain('whoever asked the kubelet');
    },
  );
});
