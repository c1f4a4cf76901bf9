import { expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { runtime } from '../../../../lab/model/axes/runtime.ts';
import type { EffectiveNode } from '../../../../lab/model/saved/effective.ts';
import { describeRunc, programOfWorkloads } from '../../../../lab/report/words/runc-words.ts';

const variantOf = (written: string) => ({ ...DEFAULT_VARIANT, runtime: written });

function readBack(versions: Record<string, string>, handlers: EffectiveNode['handlers']) {
  return { versions, nodes: [{ name: 'node-1', versions, handlers } as EffectiveNode] };
}

const BESIDE = readBack(
  { runc: '1.1.5+ds1', 'runc-under-test': '1.4.3' },
  { runc: {}, 'runc-under-test': { BinaryName: '/usr/local/lib/whodunit/under-test/runc' } },
);
const EVERYWHERE = readBack({ runc: '1.4.3' }, { runc: {} });

it('says that a runc under test ran only the workloads', () => {
  expect(describeRunc(variantOf('runc@1.4.3'), BESIDE)).toBe(
    'runc 1.4.3 ran the workloads, as the handler runc-under-test; runc 1.1.5+ds1 ran the control plane',
  );
});

it.each(['runc@1.4.3+everywhere', 'runc@1.4.3'])(
  'says of %s that it ran everything, where no other handler was read back: so it was before there was one',
  (written) => {
    expect(describeRunc(variantOf(written), EVERYWHERE)).toBe(
      'runc 1.4.3 ran the workloads and the control plane',
    );
  },
);

it.each(['runc', 'crun', 'runsc@20240916'])(
  'says nothing of %s, which has the runc of the suite',
  (written) => {
    expect(describeRunc(variantOf(written), EVERYWHERE)).toBeUndefined();
  },
);

it.each([
  ['runc@1.4.3', BESIDE, 'runc-under-test'],
  ['runc@1.4.3', EVERYWHERE, 'runc'],
  ['runc@1.4.3+everywhere', EVERYWHERE, 'runc'],
  ['crun', readBack({ runc: '1.1.5', crun: '1.8.1' }, {}), 'crun'],
])('takes the version of %s from the program that ran the workloads', (written, { versions }, program) => {
  expect(programOfWorkloads(runtime.parse(written), versions)).toBe(program);
});
