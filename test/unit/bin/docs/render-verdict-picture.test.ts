import { describe, expect, it } from 'vitest';
import { makeVerdictPicture } from '../../../../bin/verdict-picture.ts';
import { loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { readProjectText } from '../../project-files.ts';

const PICTURE = readProjectText('docs/images/verdict.svg');

describe('the first picture of README.md', () => {
  it('is what the judge says of its captures; else run `npm run pictures`', () => {
    expect(PICTURE).toBe(makeVerdictPicture());
  });

  it('names only lines that its captures have', () => {
    const places = [...PICTURE.matchAll(/>(\S+\.\w+):(\d+)/g)].map(
      ([, file = '', line]) => [file, Number(line)] as const,
    );
    expect(places.length).toBeGreaterThan(6);
    const captures = ['oom-single-container', 'sigkill-from-node'].map((name) => loadCapture(name));
    const lines = (file: string): number =>
      Math.max(...captures.map(({ files }) => (files.get(file) ?? '').trimEnd().split('\n').length));
    for (const [file, line] of places) expect([file, line <= lines(file)]).toEqual([file, true]);
  });
});
