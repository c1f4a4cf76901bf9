import { describe, expect, it } from 'vitest';
import { numbersOf, programOf } from '../../../../lab/model/components/value-order.ts';

describe('values of an axis', () => {
  it.each([
    { value: '2.1.4', order: [2, 1, 4], program: '' },
    { value: 'runc@1.1.12', order: [1, 1, 12], program: 'runc@' },
    { value: 'runc@1.1.12+everywhere', order: [1, 1, 12], program: 'runc@+everywhere' },
    { value: 'runsc@20230927+systemd-cgroup', order: [20230927], program: 'runsc@+systemd-cgroup' },
    { value: 'crun', order: undefined, program: '' },
    { value: 'file:./out/runsc-1.2', order: undefined, program: '' },
  ])('have an order by their version: $value', ({ value, order, program }) => {
    expect(numbersOf(value)).toEqual(order);
    if (order !== undefined) expect(programOf(value)).toBe(program);
  });
});
