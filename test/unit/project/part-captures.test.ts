import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT, readProjectText } from '../project-files.ts';

const DRAWS = /\b(?:sampledCaptureNames|sampledSubjects|DRAWS_ALL)\b/;

describe('the part `captures` of npm test', () => {
  const [, words = ''] =
    /^ {2}captures: \{[^}]*?paths: \[([^\]]*)\]/m.exec(readProjectText('bin/test.mjs')) ?? [];
  const paths = [...words.matchAll(/'([^']+)'/g)].map(([, path = '']) => path);
  const drawing = readdirSync(join(PROJECT, 'test/unit'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/unit/${path}`)
    .filter((path) => path.endsWith('.test.ts') && !path.endsWith('/part-captures.test.ts'))
    .filter((path) => DRAWS.test(readProjectText(path)));

  it('has each test that otherwise draws some of the captures', () => {
    expect(drawing.length).toBeGreaterThan(8);
    expect(drawing.filter((test) => !paths.some((path) => test.startsWith(path)))).toEqual([]);
  });

  it('draws all of them', () => {
    const [, factor = ''] =
      /^ {2}captures: \{[^}]*?WHODUNIT_FUZZ_FACTOR: '(\d+)'/m.exec(readProjectText('bin/test.mjs')) ?? [];
    const [, from = ''] =
      /^const ALL_FROM = (\d+);$/m.exec(readProjectText('test/fixtures/properties.ts')) ?? [];
    expect(Number(from)).toBeGreaterThan(1);
    expect(Number(factor)).toBeGreaterThanOrEqual(Number(from));
  });
});
