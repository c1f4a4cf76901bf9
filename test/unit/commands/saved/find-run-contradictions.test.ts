import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRunFolder } from '../../../../lab/commands/saved/find-run.ts';
import { getCellRecord } from '../../../../lab/commands/saved/read-cell-record.ts';

const RUN = join(import.meta.dirname, '../../../fixtures/run-from-before/20250101-0900-before');
const CELL = 'cells/default/sigkill-beside-an-oom';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-contradictions-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Fields = Record<string, unknown>;

/** A copy of the run in which one file is changed. */
function change(file: string, edit: (value: Fields) => void): string {
  const run = mkdtempSync(join(folder, 'run-'));
  cpSync(RUN, run, { recursive: true });
  const path = join(run, file);
  const value = JSON.parse(readFileSync(path, 'utf8')) as Fields;
  edit(value);
  writeFileSync(path, JSON.stringify(value));
  return run;
}

const to =
  (...fields: readonly [string, unknown][]) =>
  (value: Fields): void => {
    for (const [field, inner] of fields) value[field] = inner;
  };

describe('what was saved of a cell contradicts itself', () => {
  it.each<[string, (value: Fields) => void, RegExp]>([
    [
      'the address of another scenario',
      to(['address', 'default/other']),
      /address: expected default\/sigkill-b/,
    ],
    [
      'the address of another variant',
      to(['address', 'v1/sigkill-beside-an-oom']),
      /address: expected default\//,
    ],
    ['another scenario', to(['scenario', 'other']), /address: expected default\/other/],
    [
      'a parameter that it does not have',
      to(['address', 'default/sigkill-beside-an-oom[limit=64Mi]']),
      /address: expected default\/sigkill-beside-an-oom,/,
    ],
    [
      'another value of a parameter',
      to(['address', 'default/sigkill-beside-an-oom[limit=64Mi]'], ['parameters', { limit: '32Mi' }]),
      /address: expected default\/sigkill-beside-an-oom\[limit=32Mi\]/,
    ],
  ])('%s, in a result and in the record of the cell', (_, edit, says) => {
    const result = change('result.json', ({ cells }) => edit((cells as Fields[])[0] ?? {}));
    expect(() => readRunFolder(result)).toThrow(
      expect.objectContaining({
        code: 'LAB_STATE_FILE',
        lastSeen: expect.stringMatching(says) as string,
      }) as Error,
    );
    const record = change(`${CELL}/cell.json`, edit);
    expect(() => getCellRecord(join(record, CELL))).toThrow(says);
  });

  it.each([
    ['default/sigkill-beside-an-oom', { kubernetes: '1.31' }],
    ['1.34/sigkill-beside-an-oom', { kubernetes: '1.34' }],
    ['v1_crun/sigkill-beside-an-oom', { cgroup: 'v1', runtime: 'crun', kubernetes: '1.31' }],
  ])('%s does not, when the default of an axis was another one then', (address, values) => {
    const run = change('result.json', ({ cells }) => {
      const [cell = {}] = cells as Fields[];
      to(['address', address], ['variant', { ...(cell['variant'] as Fields), ...values }])(cell);
    });
    expect(readRunFolder(run).result.cells[0]?.address).toBe(address);
  });

  it.each<[string, (cells: Fields[]) => void, RegExp]>([
    [
      'a cell twice',
      (cells) => cells.push({ ...cells[0], verdict: 'skipped' }),
      /address: expected each cell once/,
    ],
  ])('%s, in a result', (_, edit, says) => {
    const run = change('result.json', ({ cells, totals }) => {
      edit(cells as Fields[]);
      to(['skipped', (cells as Fields[]).length - 1])(totals as Fields);
    });
    expect(() => readRunFolder(run)).toThrow(
      expect.objectContaining({
        code: 'LAB_STATE_FILE',
        lastSeen: expect.stringMatching(says) as string,
      }) as Error,
    );
  });

  it.each<[string, (value: Fields) => void, RegExp]>([
    [
      'an end before its begin',
      to(['endedAt', '2001-01-01T00:00:00.000Z']),
      /endedAt: expected a time that is not before/,
    ],
    [
      'a workload after its end',
      to(['deployedAt', '2099-01-01T00:00:00.000Z']),
      /endedAt: expected a time that is not/,
    ],
    [
      'a workload before its begin',
      to(['deployedAt', '2001-01-01T00:00:00.000Z']),
      /deployedAt: expected a time that is not before startedAt/,
    ],
    [
      'an empty selector',
      ({ victim }) => to(['selector', ''])(victim as Fields),
      /selector: expected a label selector/,
    ],
    [
      'a blank selector',
      ({ victim }) => to(['selector', ' \t'])(victim as Fields),
      /selector: expected a label selector/,
    ],
    [
      'no container',
      ({ victim }) => to(['container', ''])(victim as Fields),
      /container: expected the name of a container/,
    ],
    [
      'no namespace',
      ({ victim }) => to(['namespace', ''])(victim as Fields),
      /namespace: expected the name of a namespace/,
    ],
    [
      'a parameter whose name none has',
      to(['parameters', { 'a b': 'c' }]),
      /parameters\.a b: expected a name of letters/,
    ],
    ['a node twice', to(['nodes', ['node-1', 'node-1']]), /nodes: expected each node once/],
    [
      'a stimulus of another time',
      to(['stimuli', [{ kind: 'delete', at: '2001-01-01T00:00:00.000Z', node: '', detail: 'x' }]]),
      /stimuli\.0\.at: expected a time from startedAt/,
    ],
    [
      'a source of another node',
      to(['lost', [{ source: 'kmsg', node: 'node-9', why: 'x' }]]),
      /lost\.0\.node: expected one of node-1/,
    ],
  ])('%s, in the record of the cell', (_, edit, says) => {
    const record = change(`${CELL}/cell.json`, edit);
    expect(() => getCellRecord(join(record, CELL))).toThrow(says);
  });

  it('not at all in what a lab saved', () => {
    expect(readRunFolder(RUN).result.cells).toHaveLength(1);
    expect(getCellRecord(join(RUN, CELL)).address).toBe('default/sigkill-beside-an-oom');
  });
});
