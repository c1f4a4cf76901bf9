import { describe, expect, it } from 'vitest';
import { domainLogPath } from '../../../../lab/drivers/machines/libvirt-log.ts';

describe("libvirt's log of a domain", () => {
  it('lies with the system for root, and in the cache of the user for a session', () => {
    expect(domainLogPath('qemu:///system', 'node')).toBe('/var/log/libvirt/qemu/node.log');
    const home = { HOME: '/home/ann' };
    expect(domainLogPath('qemu:///session', 'node', home)).toBe('/home/ann/.cache/libvirt/qemu/log/node.log');
    expect(domainLogPath('qemu:///session', 'node', { ...home, XDG_CACHE_HOME: '/cache' })).toBe(
      '/cache/libvirt/qemu/log/node.log',
    );
  });
});
