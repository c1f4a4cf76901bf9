import { expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { runtime } from '../../../../lab/model/axes/runtime.ts';
import { renderBareHtml } from '../bare-report.ts';
import { createCell, createRunOf } from '../made-run.ts';
import { describeRunc, nameVersions, programOfWorkloads } from '../../../../lab/report/words/runc-words.ts';

const variantOf = (written: string) => ({ ...DEFAULT_VARIANT, runtime: written });

const BESIDE = { runc: '1.1.5+ds1', 'runc-under-test': '1.4.3' };
const EVERYWHERE = { runc: '1.4.3' };

it('says that a runc under test ran only the workloads', () => {
  expect(describeRunc(variantOf('runc@1.4.3'), BESIDE)).toBe(
    'runc 1.4.3 ran the workloads, as the handler runc-under-test; runc 1.1.5+ds1 ran the control plane',
  );
});

it.each(['runc@1.4.3+everywhere', 'runc@1.4.3'])(
  'says of %s that it ran everything, where no other runc was read back: so it was before it had a handler of its own',
  (written) => {
    expect(describeRunc(variantOf(written), EVERYWHERE)).toBe(
      'runc 1.4.3 ran the workloads and the control plane',
    );
  },
);

it('says nothing of a world of which nothing was read back', () => {
  expect(describeRunc(variantOf('runc@1.4.3'), undefined)).toBeUndefined();
});

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
  ['crun', { runc: '1.1.5', crun: '1.8.1' }, 'crun'],
])('takes the version of %s from the program that ran the workloads', (written, versions, program) => {
  expect(programOfWorkloads(runtime.parse(written), versions)).toBe(program);
});

it('names one runc to a reader who does not know the lab, and says where the control plane has another', () => {
  expect(nameVersions({ kernel: '6.1', ...BESIDE })).toEqual({
    kernel: '6.1',
    runc: '1.4.3 (only workloads; 1.1.5+ds1 the control plane)',
  });
  expect(nameVersions(EVERYWHERE)).toBe(EVERYWHERE);
});

it.each([
  [BESIDE, 'runc 1.4.3 ran the workloads, as the handler', 'npx whodunit run runc@1.4.3/oom'],
  [
    EVERYWHERE,
    'runc 1.4.3 ran the workloads and the control plane',
    'npx whodunit run runc@1.4.3+everywhere/oom',
  ],
])('is said on the page of a cell, which is run again as what it was: %o', (versions, says, again) => {
  const address = 'runc@1.4.3/oom';
  const cell = createCell('oom', { address, variant: variantOf('runc@1.4.3') });
  const page = renderBareHtml(createRunOf([cell]), new Map([[address, versions]]));
  expect(page).toContain(says);
  expect(page).toContain(`<code>${again}</code>`);
  expect(page).toContain(`<code>npx whodunit why ${address}</code>`);
});
