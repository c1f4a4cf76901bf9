import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFINITIONS_FILE } from '../../model/components/kubernetes-definitions.ts';
import { PROJECT_FILE, type ProjectFolders } from '../../model/host/project-folders.ts';
import { describeState } from '../files/file-state.mjs';
import { writeTextAtomic } from '../files/files.ts';
import { listProjectFiles } from './project-files.ts';
import { makeFolders } from '../files/make-folders.ts';
import { lookAt } from '../files/look-at.ts';

/**
 * What was worked out of the files of the project is kept in the folder of the written program (bin/program.mjs), so that
 * the next command need not parse them again. Whoever can write there can change the program itself, so what is there may
 * be believed as the program is; and another program has another folder. Sources that tsx loads have no such folder: they
 * keep it in memory, for other commands of the same process.
 */
const FOLDER = findProgramFolder(fileURLToPath(import.meta.url));
const inMemory = new Map<string, string>();

/** Files that were changed this shortly before they were read may change again within the same time of change. */
export const SETTLED_MS = 2000;

/** What a value was worked out of: see `stampProject`. */
export interface ProjectStamp {
  /** Differs whenever a file was changed, added, removed or replaced. */
  readonly digest: string;
  /** When the newest of the files was changed, in milliseconds since 1970. */
  readonly changedAtMs: number;
  /** Of which project, as the end of a name: each keeps its own. */
  readonly of?: string;
}

function findProgramFolder(file: string): string | undefined {
  return file.endsWith('.ts') ? undefined : join(dirname(file), 'index');
}

/**
 * Says in which state the files of the project are, each with its name (file-state.mjs). A copy or a checkout has others, so what somebody else has worked out of the same texts has another stamp.
 * What the API of Kubernetes accepts is among them.
 *
 * @param also further files that something was worked out of, from the project's root.
 */
export function stampProject(
  { projectDir, ownDir }: ProjectFolders,
  also: readonly string[] = [],
): ProjectStamp {
  const hash = createHash('sha256');
  let changedAtMs = 0;
  const note = (folder: string, paths: readonly string[]): void => {
    hash.update(folder);
    for (const path of paths) {
      const state = lookAt((stat) => stat(join(folder, path), { bigint: true, throwIfNoEntry: false }));
      hash.update(`\0${path}\0${state === undefined ? '' : describeState(state)}`);
      changedAtMs = Math.max(changedAtMs, Number(state?.ctimeMs ?? 0n));
    }
  };
  note(projectDir, [...listProjectFiles(projectDir), ...listApiFiles(projectDir), ...also]);
  if (ownDir !== undefined) note(ownDir, [PROJECT_FILE, ...listProjectFiles(ownDir)]);
  const of = ownDir === undefined ? '' : `-${createHash('sha256').update(ownDir).digest('hex').slice(0, 12)}`;
  return { digest: hash.digest('hex'), changedAtMs, of };
}

function listApiFiles(projectDir: string): string[] {
  const folder = dirname(DEFINITIONS_FILE);
  const names = existsSync(join(projectDir, folder)) ? readdirSync(join(projectDir, folder)) : [];
  return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
}

/**
 * Returns what was kept under a name for files in this state; undefined when there is nothing, or when it is of another
 * state or cannot be read.
 *
 * @param folder another folder than that of the program.
 */
export function findIndexed(name: string, { digest, of = '' }: ProjectStamp, folder = FOLDER): unknown {
  const file = `${name}${of}.json`;
  try {
    const text = folder === undefined ? inMemory.get(file) : readFileSync(join(folder, file), 'utf8');
    if (text === undefined) return undefined;
    const [first = ''] = text.split('\n', 1);
    return first === digest ? (JSON.parse(text.slice(first.length)) as unknown) : undefined;
  } catch {
    return undefined; // it was never written, or somebody has broken it: it is worked out again
  }
}

/**
 * Keeps a value for the next command. Where nothing can be written, nothing is kept, and nothing is said: it only saves time.
 *
 * @param stamp the state of the files before they were read.
 * @param value survives JSON as it is.
 */
export function keepIndexed(name: string, stamp: ProjectStamp, value: unknown, folder = FOLDER): void {
  if (stamp.changedAtMs > Date.now() - SETTLED_MS) return;
  const file = `${name}${stamp.of ?? ''}.json`;
  const text = `${stamp.digest}\n${JSON.stringify(value)}`;
  if (folder === undefined) {
    inMemory.set(file, text);
    return;
  }
  try {
    makeFolders(folder, 0o700);
    writeTextAtomic(join(folder, file), text);
  } catch {
    // A folder of somebody else, or a full disk.
  }
}
