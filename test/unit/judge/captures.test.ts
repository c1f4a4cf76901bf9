import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trimFiles } from '../../../bin/trim-files.ts';
import { dropLines, unrelatedLines } from '../../fixtures/evidence/change-capture.ts';
import {
  answerFor,
  captureNames,
  judgeCapture,
  loadCapture,
  realCaptureNames,
  sampledCaptureNames,
  simpleCaptureNames,
} from '../../fixtures/evidence/load-capture.ts';
import { cases } from '../../fixtures/properties.ts';

describe('in every capture', () => {
  it.each(simpleCaptureNames())(
    '%s: records about others may all be lost without changing the killer',
    (name) => {
      const capture = loadCapture(name);
      const { killer, level } = judgeCapture(capture).attribution;
      const others = unrelatedLines(capture);
      const lost = fc.record(
        Object.fromEntries([...others].map(([path, lines]) => [path, fc.subarray(lines)])),
      );
      fc.assert(
        fc.property(lost, fc.boolean(), (dropped, neverWritten) => {
          const changed = dropLines(capture, dropped, neverWritten);
          const judged = judgeCapture(changed);
          // Nobody can tell whether a lost record was the signal that would make an end of its own somebody's work.
          const mayBeOther = killer === 'self-exit' && judged.attribution.killer === 'unknown';
          if (mayBeOther) expect(neverWritten).toBe(false);
          else
            expect(judged.attribution).toMatchObject({ killer, ...(level === undefined ? {} : { level }) });
          expect(judged.verdict).not.toBe('failed');
          // As if they had never been written, they are not even missed.
          if (neverWritten) expect(judged.verdict).toBe('passed');
        }),
        { numRuns: cases(25) },
      );
    },
  );

  it.each(sampledCaptureNames())(
    '%s: a file that ends early never makes somebody else the killer',
    (name) => {
      const capture = loadCapture(name);
      const { killer } = judgeCapture(capture).attribution;
      const paths = [...capture.files.keys()].filter((path) => !path.endsWith('.json'));
      fc.assert(
        fc.property(fc.constantFrom(...paths), fc.double({ min: 0, max: 1, noNaN: true }), (path, part) => {
          const content = capture.files.get(path) ?? '';
          const files = new Map(capture.files).set(path, content.slice(0, Math.floor(content.length * part)));
          const judged = judgeCapture({ ...capture, files });
          expect([killer, 'unknown']).toContain(judged.attribution.killer);
          if (judged.attribution.killer === 'unknown') expect(judged.verdict).toBe('inconclusive');
        }),
        { numRuns: cases(25) },
      );
    },
  );

  it.each(sampledCaptureNames())(
    '%s: bytes in the middle of a file never make somebody else the killer',
    (name) => {
      const capture = loadCapture(name);
      const { killer } = judgeCapture(capture).attribution;
      const paths = [...capture.files.keys()].filter((path) => !path.endsWith('.json'));
      const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
      fc.assert(
        fc.property(fc.constantFrom(...paths), fc.nat(), bytes, (path, place, noise) => {
          const content = capture.files.get(path) ?? '';
          const at = place % (content.length + 1);
          const broken = content.slice(0, at) + Buffer.from(noise).toString('latin1') + content.slice(at);
          const judged = judgeCapture({ ...capture, files: new Map(capture.files).set(path, broken) });
          expect([killer, 'unknown']).toContain(judged.attribution.killer);
        }),
        { numRuns: cases(20) },
      );
    },
  );

  it.each(captureNames())('%s: every proof stands at the file and line that it names', (name) => {
    const capture = loadCapture(name);
    for (const ref of judgeCapture(capture).attribution.because) {
      const line = (capture.files.get(ref.file) ?? '').split('\n')[(ref.line ?? 0) - 1] ?? '';
      expect(line, `${ref.file}:${ref.line ?? ''} ${ref.text}`).not.toBe('');
      // Sizes in MiB and the time since the signal are worked out, and the id of a boot stands in the first record of
      // its stream; everything else is in the line itself.
      const said = ref.text.replace(/[\d.]+ (?:ms|MiB)|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '');
      const words = said.match(/\d{2,}|OOMKilled|Killed process/g) ?? [];
      expect(words.filter((word) => !line.includes(word))).toEqual([]);
    }
  });

  it.each(realCaptureNames())('%s: trimming it once more changes nothing that the judge says', (name) => {
    const capture = loadCapture(name);
    const again = { ...capture, files: trimFiles(capture.files, capture.record) };
    expect(answerFor(again)).toEqual(capture.expected);
    for (const content of again.files.values()) expect(content).not.toMatch(/managedFields|"env":/);
  });
});
