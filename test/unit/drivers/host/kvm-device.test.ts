import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKvmDevice } from '../../../../lab/drivers/host/kvm-device.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-kvm-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a /dev/kvm', () => {
  it('may be absent', () => {
    expect(findKvmDevice(join(folder, 'none'))).toBeUndefined();
  });

  it('is usable when it is a device that opens', () => {
    const found = findKvmDevice('/dev/null');
    expect(found).toMatchObject({ uid: 0, mode: 0o666, usable: true });
    expect(found?.broken).toBeUndefined();
  });

  it('is of no use when it is a plain file or a folder, whatever its mode', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '', { mode: 0o666 });
    for (const path of [file, folder])
      expect(findKvmDevice(path)).toMatchObject({ usable: false, broken: 'it is not a device' });
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is of no use when nothing stands behind it, though its mode allows it',
    () => {
      const device = join(folder, 'device');
      // A number for local use that no driver has (Documentation/admin-guide/devices.txt).
      execFileSync('mknod', ['-m', '666', device, 'c', '125', '77']);
      const found = findKvmDevice(device);
      expect(found).toMatchObject({ mode: 0o666, usable: false });
      // ENXIO of a host, EPERM or EACCES of a container that lets no such device through.
      expect(['ENXIO', 'ENODEV', 'EPERM', undefined]).toContain(found?.broken);
    },
  );
});
