import { expect, it } from 'vitest';
import { judgeCapture, loadCapture, withLines } from '../../../../fixtures/evidence/load-capture.ts';

const CELL = 'cell.json';
/** A witness that is late finds the cgroup of a short-lived sender gone. */
const hidden = withLines(loadCapture('sigkill-from-node'), 'node-1/witness.jsonl', (lines) =>
  lines.map((line) =>
    line.includes('sig=9 ') ? line.replace(/"senderCgroup":"[^"]*"/, '"senderCgroup":""') : line,
  ),
);

it('a signal of ours is known to come from the node, although nobody read the cgroup of its sender', () => {
  expect(judgeCapture(hidden).attribution).toMatchObject({ killer: 'external-signal', how: 'from-node' });
});

it('a signal of somebody else is not', () => {
  const files = new Map(hidden.files).set(CELL, JSON.stringify({ ...hidden.record, stimuli: [] }));
  const { attribution } = judgeCapture({ ...hidden, files, record: { ...hidden.record, stimuli: [] } });
  expect(attribution).toMatchObject({ killer: 'external-signal', confidence: 'likely' });
  expect(attribution.how).toBeUndefined();
});
