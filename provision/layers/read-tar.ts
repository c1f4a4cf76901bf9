import type { Host } from '../../lab/model/host/host.ts';

/** What tar runs for each file: its name and its text, between bytes that neither has. */
const SHOW_FILE = String.raw`printf '\000%s\000' "$TAR_FILENAME"; cat`;

/**
 * Reads files of a tar: their texts by their paths.
 *
 * @param globs at least one file of the tar has to match each.
 * @throws CommandError when tar cannot read it, or nothing matches.
 */
export async function readTarFiles(
  host: Host,
  tar: string,
  globs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const words = ['--extract', '--wildcards', `--to-command=${SHOW_FILE}`, '--file', tar, ...globs];
  const { stdout } = await host.run('tar', words, { signal: host.signal });
  const [, ...parts] = stdout.split('\0');
  const files = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) files.set(parts[at] ?? '', parts[at + 1] ?? '');
  return files;
}
