import { posix } from 'node:path';

/** A digest with its algorithm, as a lock has it: `sha256:<hex>`. */
export type Digest = `${'sha256' | 'sha512'}:${string}`;

/**
 * Finds the digest of a file in a checksum file. Projects publish a bare digest (Kubernetes, cri-tools), one or more
 * lines of `sha256sum` (etcd), or such lines inside of a signed text (runc); gVisor publishes SHA-512.
 *
 * @returns undefined when it has none for that file, or several that differ.
 */
export function findPublished(text: string, fileName: string): Digest | undefined {
  const digests = text.split('\n').flatMap((line) => {
    const [, digest, name] = /^([0-9a-f]{64}|[0-9a-f]{128})(?:\s+\*?(\S.*))?$/i.exec(line.trim()) ?? [];
    if (digest === undefined) return [];
    return name === undefined || posix.basename(name) === fileName ? [digest.toLowerCase()] : [];
  });
  const [digest, ...others] = new Set(digests);
  if (digest === undefined || others.length > 0) return undefined;
  return `${digest.length === 64 ? 'sha256' : 'sha512'}:${digest}`;
}
