import { expect, it } from 'vitest';
import { readEvidence } from '../../../lab/evidence/read-evidence.ts';
import { loadCapture, withLines, type Capture } from '../../fixtures/evidence/load-capture.ts';

const capture = loadCapture('memory-seen-inside');
const BUSY_MS = 20_000;

/** Adds so much to the last number that a key has in a file. */
function later(path: string, key: string, amount: number): Capture {
  return withLines(capture, path, (lines) => {
    const last = lines.findLastIndex((line) => line.includes(key));
    const moved = lines[last]!.replace(
      new RegExp(`(${key}" ?: ?"?)([\\d.]+)`),
      (_, head: string, number: string) => `${head}${Number(number) + amount}`,
    );
    expect(moved).not.toBe(lines[last]);
    return lines.with(last, moved);
  });
}

const EVENT = '2099-01-01 00:00:00.5 +0000 UTC k8s.io /images/create {"name":"x"}';

const withEvent = withLines(capture, 'node-1/tasks.log', (lines) => [...lines, EVENT]);

// The lab reads the journals, then writes the last line of the kernel log, and then ends the streams.
it.each([
  ['as it was saved', false, capture],
  ['with a sampler that ran on for long', false, later('node-1/samples.jsonl', 'uptime', BUSY_MS / 1000)],
  ["with an event of containerd's long after", false, withEvent],
  [
    'with an entry of a journal long after',
    true,
    later('node-1/kubelet.jsonl', '__MONOTONIC_TIMESTAMP', 3e9),
  ],
])('the kernel log of a cell %s is misdated: %s', (_, isMisdated, { files, record }) => {
  const lost = readEvidence(files, record).flatMap((found) => (found.kind === 'lost' ? [found.why] : []));
  expect(lost.some((why) => why.startsWith('the clock of the kernel log is behind'))).toBe(isMisdated);
});
