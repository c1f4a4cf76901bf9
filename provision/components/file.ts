import { chmodSync, constants, copyFileSync, mkdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Artifact, ComponentSourceOf } from '../../lab/model/components/components.ts';
import { UsageError } from '../../lab/model/errors/errors.ts';
import type { Host } from '../../lab/model/host/host.ts';
import { workDir } from '../../lab/model/host/project-folders.ts';
import { flattenInputs } from '../../lab/model/components/inputs.ts';
import { parseLocalBuild, recordLocalBuild } from '../../lab/model/components/local-build.ts';
import { ensureEntry } from '../cache/entry.ts';
import { componentKind, writeComponentRecord } from './component-record.ts';
import { digestFile, digestFiles } from './digest.ts';
import { planInputs } from './inputs.ts';
import { placePrograms } from './place-programs.ts';

/** What a version `file:<path>` means at this moment. */
interface LocalPrograms {
  /** Program name to absolute path. */
  readonly paths: Readonly<Record<string, string>>;
  /** SHA-256 over names and contents. */
  readonly digest: string;
  /** `file:<name>@sha256:<12 digits>`, without a release. */
  readonly recorded: string;
}

/**
 * Finds the programs of a local build: the path is the folder they are in, or the first of them (of any name) with the
 * others next to it. Relative paths begin in a folder.
 *
 * @throws UsageError naming every file that is missing.
 */
async function readLocalPrograms(
  folder: string,
  component: string,
  version: string,
  programs: readonly string[],
): Promise<LocalPrograms> {
  const path = resolve(folder, parseLocalBuild(version)?.path ?? '');
  const paths = placePrograms(path, programs);
  const missing = Object.entries(paths).filter(([, file]) => !isFile(file));
  if (missing.length > 0) {
    throw new UsageError(`${component} ${version} is not a whole local build`, {
      lastSeen: `missing: ${missing.map(([name, file]) => `${file} (${name})`).join(', ')}`,
      tryNext: `${component} is ${programs.join(' and ')} in one folder; relative paths begin in ${folder}`,
    });
  }
  const digests: Record<string, string> = {};
  for (const [name, file] of Object.entries(paths)) digests[name] = await digestFile(file);
  const digest = digestFiles(digests);
  return { paths, digest, recorded: recordLocalBuild(basename(path), digest) };
}

/**
 * Copies the programs of a local build into the cache, so that building it again does not change a run that has begun.
 *
 * @throws UsageError when a file is missing, or changed while it was copied.
 */
export async function storeLocalBuild(
  host: Host,
  component: string,
  version: string,
  source: ComponentSourceOf<'file'>,
): Promise<Artifact> {
  const { paths, digest, recorded } = await readLocalPrograms(
    workDir(host),
    component,
    version,
    source.programs,
  );
  const inputs = planInputs(component, recorded, source, digest);
  return ensureEntry(host, {
    kind: componentKind(host.cacheDir, inputs),
    inputs: flattenInputs(inputs),
    make: async ({ out }) => {
      mkdirSync(out);
      const copies: Record<string, string> = {};
      for (const [name, path] of Object.entries(paths)) {
        const copy = join(out, name);
        copyFileSync(path, copy, constants.COPYFILE_FICLONE);
        chmodSync(copy, 0o755);
        copies[name] = await digestFile(copy);
      }
      if (digestFiles(copies) !== digest) {
        throw new UsageError(`${component} ${version} changed while it was read`, {
          tryNext: 'wait until its build has ended, then run again',
        });
      }
      await writeComponentRecord(out, inputs, {});
    },
  });
}

/** Puts programs of a local build in the place of those of a release. */
export function replacePrograms(release: Artifact, build: Artifact): Artifact {
  return {
    ...release,
    source: 'file',
    version: `${release.version}@${build.version}`,
    digest: digestFiles({ release: release.digest, build: build.digest }),
    files: { ...release.files, ...build.files },
  };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
