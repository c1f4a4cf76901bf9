import type { CacheList, CachePrune, CachePull, CachePush, CacheWhy } from '../../model/saved/cache.ts';
import { formatBytes } from '../../model/text/format-bytes.ts';
import { textTable } from '../text/text-table.ts';

/** Renders `whodunit cache list`: a table, least recently used last. */
export function renderCacheList(list: CacheList): string {
  const rows = [...list.entries]
    .sort((a, b) => (a.lastUsedAt < b.lastUsedAt ? 1 : -1))
    .map((entry) => [
      entry.kind,
      entry.name,
      entry.version,
      formatBytes(entry.bytes),
      `${entry.lastUsedAt.slice(0, 16).replace('T', ' ')}`,
      entry.usedBy.length === 0 ? '-' : entry.usedBy.join(', '),
    ]);
  if (rows.length === 0) return `nothing in ${list.folder}`;
  return [
    ...textTable([['kind', 'name', 'version', 'size', 'last used (UTC)', 'used by'], ...rows]),
    '',
    `${formatBytes(list.totalBytes)} in ${list.folder}`,
    'next: npx whodunit cache prune --max-size 20GiB --dry-run',
  ].join('\n');
}

/** Renders `whodunit cache why`: the entries that are there, and for each missing one the inputs that differ. */
export function renderCacheWhy({ variant, answers }: CacheWhy): string {
  const rows = answers.map(({ kind, name, version, hit, why }) => [
    hit ? 'hit ' : 'miss',
    `${kind} ${name} ${version}`.trim(),
    why,
  ]);
  const missing = answers.filter(({ hit }) => !hit);
  const maker = missing.some(({ kind }) => kind === 'world') ? 'up' : 'bake';
  return [
    ...textTable(rows),
    '',
    missing.length === 0
      ? `${variant}: everything is there`
      : `${variant}: ${missing.length} of ${answers.length} would be built (npx whodunit ${maker})`,
  ].join('\n');
}

/** Renders `whodunit cache prune`. */
export function renderCachePrune({ dryRun, removed, freedBytes, remainingBytes }: CachePrune): string {
  const verb = dryRun ? 'would remove' : 'removed';
  return [
    ...removed.map(({ kind, name, bytes }) => `${verb} ${kind} ${name} (${formatBytes(bytes)})`),
    `${formatBytes(freedBytes)} ${dryRun ? 'would be free again' : 'freed'}, ${formatBytes(remainingBytes)} stay`,
  ].join('\n');
}

/** Renders `whodunit cache push`: what was sent, what was there, and what does not leave this host. */
export function renderCachePush({ remote, entries, sentBytes }: CachePush): string {
  const rows = entries.map(({ kind, name, version, result, why, sentBytes: bytes }) => [
    result,
    `${kind} ${name} ${version}`.trim(),
    result === 'sent' ? formatBytes(bytes) : why,
  ]);
  const sent = entries.filter(({ result }) => result === 'sent').length;
  return [
    ...textTable(rows),
    '',
    `${sent} of ${entries.length} sent to ${remote} (${formatBytes(sentBytes)})`,
  ].join('\n');
}

/** Renders `whodunit cache pull`: what came, what was here, and what neither cache has. */
export function renderCachePull({ remote, variant, entries }: CachePull): string {
  const absent = entries.filter(({ result }) => result === 'absent').length;
  return [
    ...textTable(entries.map(({ kind, name, version, result }) => [result, `${kind} ${name} ${version}`.trim()])),
    '',
    absent === 0
      ? `${variant}: everything is there`
      : `${variant}: ${absent} of ${entries.length} are not in ${remote} either (npx whodunit bake)`,
  ].join('\n');
}
