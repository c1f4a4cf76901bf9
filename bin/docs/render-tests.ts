import { inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';
import { TESTS_ELSEWHERE, TESTS_OF_MANY } from '../tests-of-rooms.mjs';

/** Renders where code is tested whose tests are not at its own place, for docs/map.md. */
export function renderTestsElsewhere(): string {
  return [
    ...markdownHead(['code', 'is tested in']),
    ...Object.entries(TESTS_ELSEWHERE).map(([path, tests]) =>
      markdownRow([inlineCode(path), tests.map(inlineCode).join(', ')]),
    ),
  ].join('\n');
}

/** Renders the unit tests that belong to no single file, for docs/map.md. */
export function renderTestsOfMany(): string {
  return [
    ...markdownHead(['test', 'of many rooms']),
    ...Object.entries(TESTS_OF_MANY).map(([path, about]) => markdownRow([inlineCode(path), about])),
  ].join('\n');
}
