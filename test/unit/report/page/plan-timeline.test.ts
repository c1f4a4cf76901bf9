import { describe, expect, it } from 'vitest';
import { clockOf } from '../../../../lab/model/evidence/source-clocks.ts';
import { planTimeline, type Mark } from '../../../../lab/report/page/plan-timeline.ts';
import { renderTimeline } from '../../../../lab/report/page/timeline.ts';
import { orderByTime, stepRank, type ProofRef } from '../../../../lab/report/words/order-of-time.ts';
import { listProof } from '../../../../lab/report/words/proof-lines.ts';
import { captureNames, judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';

const ref = (step: string, source: string, seconds: string): ProofRef => ({
  step,
  source,
  text: '',
  at: `2026-01-02T03:04:${seconds}Z`,
  file: source,
});

/** From left to right: step, source, and the whole milliseconds after 03:04:00. */
const drawn = (refs: readonly ProofRef[]): string[] =>
  planTimeline(orderByTime(refs), undefined).marks.map(
    (mark) => `${mark.ref.step} ${mark.ref.source} ${mark.at - Date.parse('2026-01-02T03:04:00Z')}`,
  );

describe('the time axis', () => {
  it.each<[name: string, refs: ProofRef[], expected: string[]]>([
    [
      'has each record at its time where clocks agree',
      [ref('cause', 'kmsg', '01.000'), ref('signal', 'trace', '01.010'), ref('end', 'trace', '01.020')],
      ['cause kmsg 1000', 'signal trace 1010', 'end trace 1020'],
    ],
    [
      'has all records of a clock that is ahead as much earlier as the one that is most',
      [
        ref('cause', 'kmsg', '01.066'),
        ref('signal', 'kmsg', '01.067'),
        ref('end', 'trace', '01.051'),
        ref('end', 'pod', '03.000'),
      ],
      ['cause kmsg 1050', 'signal kmsg 1051', 'end trace 1051', 'end pod 3000'],
    ],
    [
      'moves no record that was only read later',
      [ref('cause', 'kmsg', '01.000'), ref('signal', 'cgroup', '01.080'), ref('end', 'trace', '01.051')],
      ['cause kmsg 1000', 'end trace 1051', 'signal cgroup 1080'],
    ],
    [
      'has what the lab did at the time of the node',
      [ref('signal', 'stimulus', '01.400'), ref('end', 'trace', '01.000')],
      ['signal stimulus 1000', 'end trace 1000'],
    ],
  ])('%s', (_, refs, expected) => {
    expect(drawn(refs)).toEqual(expected);
  });

  it('says by how much a clock is ahead, and draws a tail to the time that it says', () => {
    const refs = [ref('cause', 'kmsg', '01.066'), ref('end', 'trace', '01.051')];
    const page = renderTimeline(planTimeline(orderByTime(refs), undefined)).text;
    expect(page).toContain('The clock of the kernel log is at least 15 ms ahead of the clock of the node');
    expect(page.match(/reach tail kernel/g)).toHaveLength(1);
  });

  it('has a tail from what was read late back to the end that it came before', () => {
    const refs = [ref('end', 'trace', '01.000'), ref('signal', 'cgroup', '09.000')];
    const page = renderTimeline(planTimeline(orderByTime(refs), undefined)).text;
    const [, from] = /reach tail cgroup" d="M(\d+),/.exec(page) ?? [];
    const [, end] = /data-proof="1"[^]*?cx="(\d+)"/.exec(page) ?? [];
    expect(Number(from)).toBeLessThanOrEqual(Number(end));
  });

  it.each(captureNames())('has no act that led to the end right of the end: %s', (name) => {
    const { attribution } = judgeCapture(loadCapture(name));
    if (attribution.killer === 'none') return;
    const acts = planTimeline(listProof(attribution), undefined).marks.filter(
      ({ ref: { source } }: Mark) => clockOf(source).after === undefined,
    );
    const end = acts.findIndex(({ ref: { step } }) => step === 'end');
    const behind = end < 0 ? [] : acts.slice(end + 1);
    expect(
      behind.filter((mark) => stepRank(mark.ref) >= 0 && stepRank(mark.ref) < stepRank({ step: 'end' })),
    ).toEqual([]);
  });
});
