import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { HostError } from '../../lab/model/errors/errors.ts';
import type { LayerEntry } from './oci-tar.ts';
import { IPTABLES_TAR } from './packages.ts';

/**
 * Names under which kube-proxy calls iptables; all are one program that looks at its own name. Services have IPv4
 * addresses only, and without `ip6tables` kube-proxy does not write the same empty chains once more for IPv6.
 */
const IPTABLES_NAMES = ['iptables', 'iptables-save', 'iptables-restore'] as const;

/**
 * Reads iptables and everything it loads from the tar of a guest root file system, as layer entries for kube-proxy's
 * image: the same iptables as the node's, so both see the same rules.
 *
 * @throws HostError LAB_IMAGE_INPUT when the tar has no such part.
 */
export async function readIptablesEntries(rootfsTar: string): Promise<LayerEntry[]> {
  const inner = await findMember(rootfsTar, IPTABLES_TAR);
  if (inner === undefined) {
    throw new HostError('LAB_IMAGE_INPUT', `${rootfsTar} has no ${IPTABLES_TAR}`, {
      tryNext: 'delete that file: it is made again',
    });
  }
  const entries: LayerEntry[] = [];
  for await (const { header, content } of members(Readable.from([inner]), () => true)) {
    if (header.type !== 'file') {
      throw new HostError(
        'LAB_IMAGE_INPUT',
        `${IPTABLES_TAR}: ${header.name} is a ${header.type}, not a file`,
      );
    }
    entries.push({ kind: 'file', path: header.name, mode: header.mode ?? 0o644, content });
  }
  const program = entries.find((entry) => entry.path.endsWith('/xtables-nft-multi'))?.path;
  if (program === undefined)
    throw new HostError('LAB_IMAGE_INPUT', `${IPTABLES_TAR} holds no xtables-nft-multi`);
  const links = IPTABLES_NAMES.map<LayerEntry>((name) => ({
    kind: 'symlink',
    path: `usr/sbin/${name}`,
    target: `/${program}`,
  }));
  return [...entries, ...links];
}

async function findMember(tarPath: string, name: string): Promise<Buffer | undefined> {
  const wanted = (member: string): boolean => member.replace(/^\.\//, '') === name;
  for await (const { content } of members(createReadStream(tarPath), wanted)) return content;
  return undefined;
}

async function* members(
  source: Readable,
  wanted: (name: string) => boolean,
): AsyncGenerator<{
  header: { name: string; type?: string | null | undefined; mode?: number | undefined };
  content: Buffer;
}> {
  for await (const entry of source.pipe(extract())) {
    if (!wanted(entry.header.name)) {
      entry.resume();
      continue;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    yield { header: entry.header, content: Buffer.concat(chunks) };
  }
}
