import { expect, it } from 'vitest';
import { DEFAULT_VARIANT, variantName, type Variant } from '../../../../lab/model/axes/axes.ts';
import { renderHeatMap } from '../../../../lab/report/page/heat-map.ts';
import { createCell } from '../made-run.ts';

/** The heads of the columns: their texts, and their full names. */
function listHeads(variants: readonly Partial<Variant>[]): [string, string][] {
  const cells = variants.map((changes) => {
    const variant = { ...DEFAULT_VARIANT, ...changes };
    return { ...createCell('plain-exit', {}), variant, address: `${variantName(variant)}/plain-exit` };
  });
  const heads = renderHeatMap(cells).text.matchAll(/<th scope="col" title="([^"]*)"><span>([^<]*)/g);
  return [...heads].map(([, full = '', text = '']) => [text, full]);
}

it('names columns by what the others do not have', () => {
  const common = { kubernetes: '1.37', runtime: 'runc@1.5.2' };
  expect(listHeads([common, { ...common, cgroup: 'v1' }])).toEqual([
    ['1.37_runc@1.5.2', '1.37_runc@1.5.2'],
    ['… v1', variantName({ ...DEFAULT_VARIANT, ...common, cgroup: 'v1' })],
  ]);
});

it('keeps names of variants that have nothing in common, and that of a lone one', () => {
  expect(listHeads([{}, { cgroup: 'v1' }]).map(([text]) => text)).toEqual(['default', 'v1']);
  expect(listHeads([{ kubernetes: '1.37' }]).map(([text]) => text)).toEqual(['1.37']);
});

it('has one box for neighbours that have nothing', () => {
  const cellOf = (scenario: string, changes: Partial<Variant>): ReturnType<typeof createCell> => {
    const variant = { ...DEFAULT_VARIANT, ...changes };
    return { ...createCell(scenario, {}), scenario, variant, address: `${variantName(variant)}/${scenario}` };
  };
  const all = [{}, { cgroup: 'v1' }, { os: 'trixie' }, { runtime: 'crun' }].map((changes) =>
    cellOf('plain-exit', changes),
  );
  const { text } = renderHeatMap([...all, cellOf('exit-137', { runtime: 'crun' })]);
  const boxes = text.split('<tbody>')[1]?.match(/<td[^>]*>(?=<)/g);
  expect(boxes).toEqual(['<td>', '<td>', '<td>', '<td>', '<td colspan="3">', '<td>']);
});
