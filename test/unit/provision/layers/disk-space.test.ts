import { expect, it } from 'vitest';
import { HostError } from '../../../../lab/model/errors/errors.ts';
import { BAKE_DISK_MIB, checkBakeDisk } from '../../../../provision/layers/disk-space.ts';

it('refuses to bake with too little disk and tells both figures', () => {
  expect(() => checkBakeDisk('/cache', BAKE_DISK_MIB)).not.toThrow();
  const bake = (): void => checkBakeDisk('/cache', BAKE_DISK_MIB - 1);
  expect(bake).toThrow(HostError);
  expect(bake).toThrow(`needs ${BAKE_DISK_MIB} MiB`);
});
