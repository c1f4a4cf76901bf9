import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { NotHad } from '../../lab/model/components/not-had.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import { writeWhole } from '../cache/write-whole.ts';

/** Notes that no source has a version, so that plans can say so before somebody waits for it again. */
export function noteNotHad(stateDir: string, name: string, version: string, why: string): void {
  writeWhole(join(statePaths(stateDir).notHad, `${name}-${version}`), `${why}\n`);
}

/** Takes such a note back. */
export function forgetNotHad(stateDir: string, name: string, version: string): void {
  rmSync(join(statePaths(stateDir).notHad, `${name}-${version}`), { force: true });
}

/** What no source had, by `<component>-<version>`. */
export function readNotHad(stateDir: string): Map<string, NotHad> {
  const folder = statePaths(stateDir).notHad;
  return new Map(
    listNames(folder).map((name) => {
      const path = join(folder, name);
      const day = statSync(path).mtime.toISOString().slice(0, 10);
      return [name, { day, why: readFileSync(path, 'utf8').trim() }];
    }),
  );
}

function listNames(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.tmp')) : [];
}
