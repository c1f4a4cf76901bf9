import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readIptablesEntries } from '../../../../provision/image/iptables-layer.ts';

type Entry = { name: string; content?: Buffer | string; linkname?: string };

async function makeTar(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { name, content, linkname } of entries) {
    if (linkname === undefined) archive.entry({ name, mode: 0o755 }, content ?? '');
    else archive.entry({ name, type: 'link', linkname });
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('iptables of the guest for kube-proxy', () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'whodunit-iptables-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const rootfs = async (inner: readonly Entry[] | undefined): Promise<string> => {
    const path = join(dir, 'rootfs.tar');
    const part = inner && { name: './usr/share/whodunit/iptables.tar', content: await makeTar(inner) };
    writeFileSync(path, await makeTar([{ name: './etc/passwd', content: 'x' }, ...(part ? [part] : [])]));
    return path;
  };
  const multi = { name: 'usr/sbin/xtables-nft-multi', content: 'elf' };

  it('answers to every name kube-proxy calls, each a link to the one program', async () => {
    const entries = await readIptablesEntries(
      await rootfs([multi, { name: 'lib/libc.so.6', content: 'libc' }]),
    );
    const links = entries.filter((entry) => entry.kind === 'symlink');
    expect(links.map((link) => link.path).sort()).toEqual(
      ['iptables', 'iptables-restore', 'iptables-save'].map((n) => `usr/sbin/${n}`),
    );
    expect(new Set(links.map((link) => link.target))).toEqual(new Set(['/usr/sbin/xtables-nft-multi']));
    expect(entries.map((entry) => entry.path)).toContain('lib/libc.so.6');
  });

  it('refuses a hard link instead of dropping it: libxt_MASQUERADE.so is one of libxt_NAT.so', async () => {
    const path = await rootfs([multi, { name: 'lib/libxt_MASQUERADE.so', linkname: 'lib/libxt_NAT.so' }]);
    await expect(readIptablesEntries(path)).rejects.toThrow(/libxt_MASQUERADE\.so is a link, not a file/);
  });

  it('says which part a root file system lacks', async () => {
    const path = await rootfs(undefined);
    await expect(readIptablesEntries(path)).rejects.toThrow(/has no usr\/share\/whodunit\/iptables\.tar/);
  });
});
