import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORMAT_VERSION } from '../../lab/model/files/format-version.ts';
import type { Host } from '../../lab/model/host/host.ts';
import { tarCompanions } from '../../lab/model/host/paths.ts';
import type { Sharing } from '../cache/sharing.ts';
import { readTarFiles } from './read-tar.ts';

/** The name of a tar on its way. */
const TAR = 'root.tar';

/** Where apt keeps the address of its mirror, with a password where the mirror asks for one. */
const APT_FILES = /^\.\/etc\/apt\/(?:sources\.list|sources\.list\.d\/.+|auth\.conf|auth\.conf\.d\/.+)$/;

/** A user in a URL, or a line of auth.conf(5). */
const CREDENTIALS = /:\/\/[^\s/@]+@|^\s*(?:machine|login|password)\s/m;

/** How a tar is shared. It is sent as it is, unless apt's mirror has a password. */
export function shareTar(name: 'root-file-system' | 'kernel'): Sharing {
  return {
    name,
    pack: async (host, path) =>
      (await holdsCredentials(host, path))
        ? 'its apt files have the credentials of a Debian mirror'
        : { files: [{ name: TAR, isProgram: false, from: path }], secrets: [] },
    mayHold: (file) => file === TAR,
    arrive: (_host, { pulled, out, path, inputs }) => {
      renameSync(join(pulled, TAR), out);
      const { record } = tarCompanions(path);
      writeFileSync(record, `${JSON.stringify({ formatVersion: FORMAT_VERSION, inputs }, null, 2)}\n`);
      return Promise.resolve();
    },
  };
}

async function holdsCredentials(host: Host, tar: string): Promise<boolean> {
  const { stdout } = await host.run('tar', ['--list', '--file', tar], { signal: host.signal });
  const names = stdout.split('\n').filter((name) => APT_FILES.test(name) && !name.endsWith('/'));
  if (names.length === 0) return false;
  const texts = await readTarFiles(host, tar, names);
  return [...texts.values()].some((text) => CREDENTIALS.test(text));
}
