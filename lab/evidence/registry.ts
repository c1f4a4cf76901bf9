import type { Lost, RegistryServed } from '../model/evidence/observation.ts';
import {
  baseOf,
  linesOf,
  lostOf,
  numberOf,
  parseObject,
  stringOf,
  timeOf,
  type EvidenceText,
} from './lines.ts';

/**
 * Reads what nodes asked of the registry: `{at, node, method, path, status, bytes, tookMs, whole}`, on the host's clock
 * (`lab/drivers/network/registry-front.ts` writes it).
 */
export function parseRegistry(content: EvidenceText, file: string): (RegistryServed | Lost)[] {
  const observations: (RegistryServed | Lost)[] = [];
  for (const { text, number } of linesOf(content)) {
    const fields = parseObject(text);
    const at = timeOf(fields?.at);
    const [node, path] = [stringOf(fields?.node), stringOf(fields?.path)];
    const tookMs = numberOf(fields?.tookMs);
    if (at === undefined || node === undefined || path === undefined || tookMs === undefined) {
      observations.push(lostOf('registry', 'a line is no request to the registry', file, undefined, number));
      continue;
    }
    const [, repository = '', kind] = /^\/v2\/(.+)\/(blobs|manifests)\//.exec(path) ?? [];
    observations.push({
      ...baseOf('registry', at, file, number, text),
      kind: 'registry-served',
      node,
      repository,
      isContent: kind === 'blobs',
      endedAt: at + tookMs,
    });
  }
  return observations;
}
