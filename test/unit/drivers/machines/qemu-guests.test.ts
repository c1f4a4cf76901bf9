import { describe, expect, it } from 'vitest';
import { parseQemuCommandLine } from '../../../../lab/drivers/machines/qemu-guests.ts';

describe('the command line of QEMU', () => {
  it('is read as libvirt 9 writes it', () => {
    const words = [
      '/usr/bin/qemu-system-x86_64',
      '-name',
      'guest=whodunit-1-default-node-1,debug-threads=on',
      '-m',
      '3072',
      '-smp',
      '2,sockets=2',
    ];
    expect(parseQemuCommandLine(words)).toEqual({
      name: 'whodunit-1-default-node-1',
      memoryMiB: 3072,
      vcpus: 2,
    });
  });

  it.each([
    ['size=3145728k', 3072],
    ['size=2G,slots=2', 2048],
    ['4G', 4096],
    ['512M', 512],
  ])('has memory in every spelling: %s', (text, memoryMiB) => {
    expect(parseQemuCommandLine(['qemu-system-aarch64', '-m', text])).toMatchObject({ name: '', memoryMiB });
  });

  it("is QEMU's own default where nothing is said", () => {
    expect(parseQemuCommandLine(['/usr/libexec/qemu-kvm'])).toEqual({ name: '', memoryMiB: 128, vcpus: 1 });
  });

  it('is not that of another program which is named so in its words', () => {
    expect(parseQemuCommandLine(['grep', 'qemu-system-x86_64', '-m', '5'])).toBeUndefined();
    expect(parseQemuCommandLine([''])).toBeUndefined();
  });
});
