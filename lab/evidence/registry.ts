import type { Lost, RegistryServed } from '../model/evidence/observation.ts';
import { baseOf, numberOf, parseObject, stringOf, timeOf, type EvidenceText } from './lines.ts';
import { parseLines } from './parse-lines.ts';

/**
 * Reads what nodes asked of the registry: `{at, node, method, path, status, bytes, tookMs, whole}`, on the host's clock
 * (`lab/drivers/network/registry-front.ts` writes it).
 */
export function parseRegistry(content: EvidenceText, file: string): (RegistryServed | Lost)[] {
  const lines = {
    source: 'registry',
    broken: 'a line is not a request to the registry',
    isCutLost: true,
  } as const;
  return parseLines(content, file, lines, ({ text, number }) => {
    const fields = parseObject(text);
    const at = timeOf(fields?.at);
    const [node, path] = [stringOf(fields?.node), stringOf(fields?.path)];
    const tookMs = numberOf(fields?.tookMs);
    if (at === undefined || node === undefined || path === undefined || tookMs === undefined) return 'broken';
    const [, repository = '', kind] = /^\/v2\/(.+)\/(blobs|manifests)\//.exec(path) ?? [];
    return {
      ...baseOf('registry', at, file, number, text),
      kind: 'registry-served' as const,
      node,
      repository,
      isContent: kind === 'blobs',
      endedAt: at + tookMs,
    };
  });
}
