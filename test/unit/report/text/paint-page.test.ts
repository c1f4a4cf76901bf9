import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../../../lab/model/text/plain-text.ts';
import { paintLine } from '../../../../lab/report/text/paint-page.ts';

const ON = pico.createColors(true);
const PAINT = { green: ON.green, red: ON.red, yellow: ON.yellow, dim: ON.dim, bold: ON.bold };

/** `[red failed]` with colours. */
const paint = (text: string): string =>
  text.replaceAll(
    /\[(green|red|yellow|dim|bold) ([^\]]*)\]/g,
    (_, colour: keyof typeof PAINT, word: string) => PAINT[colour](word),
  );

describe('colours of a page', () => {
  it.each([
    'default/plain-exit: [green passed]',
    'v1/failed-job: [red failed]',
    'killer    [bold memcg-oom] at pod level, proven',
    'killer    [bold self-exit], proven',
    'killer    [bold global-oom]; from what was seen before the cell was interrupted',
    '  [red WRONG]  kubelet   reason Error',
    '  [green right]  pod       OOMKilled',
    '[green expected]  reason: OOMKilled',
    '    [red observed]  reason: Error',
    '[green ✓ passed]        default/plain-exit  self-exit  8.4 s',
    '[yellow ? inconclusive]  default/plain-exit  unknown  8.4 s',
    '[dim - skipped]       default/a  some rule: it failed',
    '[green 4 passed], 0 failed (KVM, run 1)',
    '[green 4 passed], [red 1 failed], [dim 2 skipped] (KVM, run 1)',
    'total     3 judged, [green 2 passed], [red 1 failed], 0 changed',
    '20250101-0900-before  2025-01-01 09:00  [green 1 passed], [red 2 failed]  set=failed',
    'default/plain-exit  [red failed]  self-exit, proven',
    'before    default/failed of 2025: [red failed], memcg-oom, 9 s',
    '[red ✗] kvm  not there',
    '[bold cell                takes    in sets]',
    '[bold run            began (UTC)       cells                selected by]',
    '[bold killer      who acts     ways]',
    '[bold world    state       machines  memory  disk]',
    '[bold skipped by rule  cells  because]',
    '[bold declared]',
    'default  [green up]          1 node    900.0 MiB  2.0 GiB',
    'v1       [yellow unfinished]  2 nodes   -          2.0 GiB',
    '20250101-0900-before  -                 [yellow has no result]  set=failed',
    'cpu-weight-too-low  ([green fixed-upstream])',
    'container-oom-leaves-no-event  ([red reproduces])',
    '  killer [bold api-deletion]; tags deletion',
  ])('are at the words of ours: %s', (text) => {
    const plain = text.replaceAll(/\[\w+ ([^\]]*)\]/g, '$1');
    expect(paintLine(plain, ON)).toBe(paint(text));
    expect(paintLine(plain, pico.createColors(false))).toBe(plain);
  });

  it.each([
    '          passed and failed',
    'note      it failed: WRONG',
    '    also seen WRONG  kubelet',
    'because   expected  more than 3 failed',
    'next: npx whodunit why failed',
    '  Somebody is up  2 nodes',
    '  killer of pods',
    'cell      it takes  in sets',
  ])('are at no word behind them: %s', (line) => {
    expect(paintLine(line, ON)).toBe(line);
  });

  it('are only ours: those of a stranger are shown as numbers', () => {
    const line = plainText('\u001b[32mdefault/x\u001b[0m: failed');
    expect(paintLine(line, ON)).toBe(`\\u001b[32mdefault/x\\u001b[0m: ${ON.red('failed')}`);
  });
});
