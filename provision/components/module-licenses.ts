import { join } from 'node:path';
import type { GoModule } from '../../lab/model/components/bill.ts';
import type { Host } from '../../lab/model/host/host.ts';
import { goEnvironment } from './go.ts';

/** The program that reads license files, in this repository: it knows their texts from Google's licensecheck. */
const READER = 'provision/licenses';

/**
 * Reads the licenses of Go modules from their files in Go's module cache, where they are since a program was built of
 * them. Nothing else is asked; the reader itself is a Go program, which Go builds when it is run first, and fetches two
 * modules for.
 *
 * @param go absolute path of `go`.
 * @returns SPDX identifiers by `<path>@<version>`, at least one each. What is not known is not in it.
 * @throws CommandError when the reader cannot be built.
 */
export async function readModuleLicenses(
  host: Host,
  go: string,
  modules: readonly GoModule[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const options = {
    cwd: join(host.projectDir, READER),
    env: { ...goEnvironment('local'), GOFLAGS: '-mod=readonly' },
    signal: host.signal,
  };
  const cache = (await host.run(go, ['env', 'GOMODCACHE'], options)).stdout.trim();
  const asked = new Set(modules.map(({ path, version }) => `${path} ${version}`));
  const input = [...asked].map((line) => `${line}\n`).join('');
  return parseModuleLicenses((await host.run(go, ['run', '.', cache], { ...options, input })).stdout);
}

/** Reads what the reader prints: path, version and identifiers of a module a line, parted by blanks. */
export function parseModuleLicenses(printed: string): Map<string, readonly string[]> {
  return new Map(
    printed.split('\n').flatMap((line): [string, readonly string[]][] => {
      const [path = '', version = '', ...licenses] = line.split(' ');
      return licenses.length === 0 ? [] : [[`${path}@${version}`, licenses]];
    }),
  );
}
