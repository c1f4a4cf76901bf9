import { describe, expect, it } from 'vitest';
import { parseKmsg } from '../../../lab/evidence/kmsg.ts';
import { parsePods } from '../../../lab/evidence/pods.ts';
import { parseKubelet } from '../../../lab/evidence/kubelet.ts';
import { judgeCapture, loadCapture, withLines } from '../../fixtures/evidence/load-capture.ts';

const KMSG = 'node-1/kmsg.log';
const RECORDS = ['6,1,1000000,-;one', '6,2,2000000,-;two', '6,3,3000000,-;three'];
const whysOf = (lines: readonly string[]): string[] =>
  parseKmsg(`${lines.join('\n')}\n`, KMSG, undefined).flatMap((found) =>
    found.kind === 'lost' ? [found.why] : [],
  );

describe('the order of a kernel log', () => {
  it.each([
    ['as the kernel wrote it', RECORDS, undefined],
    ['a moment late', [RECORDS[0]!, '6,2,900000,-;two'], undefined],
    ['reversed', RECORDS.toReversed(), 2],
    ['repeated', [...RECORDS, ...RECORDS], 1],
    ['one record twice', [RECORDS[0]!, RECORDS[0]!], 1],
    ['numbered on, but seconds back, as while a CPU starts', [RECORDS[2]!, '6,4,1000000,-;four'], undefined],
  ])('%s', (_, lines, times) => {
    const expected =
      times === undefined
        ? []
        : [
            `the kernel log goes back or repeats itself, ${times} time${times === 1 ? '' : 's'}: it is not as it was read`,
          ];
    expect(whysOf(lines)).toEqual(expected);
  });

  it.each(
    [KMSG, 'node-1/witness.jsonl'].flatMap((file) => [
      { file, how: 'reversed', change: (lines: string[]) => lines.toReversed() },
      {
        file,
        how: 'repeated',
        change: (lines: string[]) => Array.from({ length: 40 }, () => lines).flat(),
      },
    ]),
  )('takes the proof from a verdict when $file is $how', ({ file, change }) => {
    const capture = loadCapture('oom-single-container');
    expect(judgeCapture(capture).attribution.confidence).toBe('proven');
    const { attribution, verdict } = judgeCapture(withLines(capture, file, change));
    expect(attribution.confidence).toBe('likely');
    expect(attribution.doubts?.join()).toContain('goes back or repeats itself');
    expect(verdict).toBe('inconclusive');
  });
});

describe('lines that cannot be read', () => {
  const bytes = Array.from({ length: 300 }, (_, index) => `\u0000\ufffd${index}`).join('\n');
  it.each([
    ['pods', () => parsePods(`${bytes}\n`, 'pods.jsonl'), 'a line is not a watch event, 300 times'],
    [
      'kubelet',
      () => parseKubelet(`${bytes}\n`, 'node-1/kubelet.jsonl'),
      'a line is not a journal entry, 300 times',
    ],
    ['kmsg', () => parseKmsg(`${bytes}\n`, KMSG, undefined), 'a line is not a kernel record, 300 times'],
    ['one', () => parseKubelet('nonsense\n', 'node-1/kubelet.jsonl'), 'a line is not a journal entry'],
  ])('of %s are counted in one sentence', (_, read, why) => {
    const broken = read().filter((found) => found.kind === 'lost' && found.why.startsWith('a line is not'));
    expect(broken).toMatchObject([{ why }]);
  });
});
