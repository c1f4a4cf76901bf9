import { existsSync, readdirSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { COMPONENTS_FILE, isDeclaration, MATRIX_FILE } from '../../model/files/declarations.ts';
import { HostError } from '../../model/errors/errors.ts';
import type { ConfigFile } from '../../model/files/yaml-file.ts';
import { PROJECT_FILE, type ProjectFolders } from '../../model/host/project-folders.ts';
import { findBytes } from '../files/open-file.ts';
import { whyNotOfProject } from './project-path.ts';
import { lookAt } from '../files/look-at.ts';

/** No file of the project comes near it. */
const MAX_BYTES = 1024 * 1024;

/**
 * Scenarios and bugs may be in folders of folders, so many levels deep. A link that leads back to where it is would have
 * no end.
 */
const MAX_GROUPS = 5;

/** Reads what is declared: the catalogue of whodunit, and a project over it. */
export function readDeclarations({ projectDir, ownDir }: ProjectFolders): ConfigFile[] {
  const shipped = readProjectFiles(projectDir);
  if (ownDir === undefined) return shipped;
  return [
    ...shipped.map((file): ConfigFile => ({ ...file, isShipped: true })),
    ...readProjectFiles(ownDir, [PROJECT_FILE, ...listProjectFiles(ownDir)]),
  ];
}

/**
 * Reads what a person declares in a folder: matrix.yaml, components.yaml, and every file of `scenarios/` and `bugs/`, even
 * those with names that mean nothing; in a stable order. Hidden files, copies that editors leave and Markdown are not part
 * of it.
 */
export function readProjectFiles(
  projectDir: string,
  paths: readonly string[] = listProjectFiles(projectDir),
): ConfigFile[] {
  return paths.flatMap((path) => readProjectFile(projectDir, path) ?? []);
}

/** Where the files of the project are, relative to it; in a stable order. The first two may be missing. */
export function listProjectFiles(projectDir: string): string[] {
  return [
    MATRIX_FILE,
    COMPONENTS_FILE,
    ...listScenarios(projectDir, 'scenarios', MAX_GROUPS),
    ...listBelow(projectDir, 'bugs', MAX_GROUPS),
  ];
}

/** Reads one file of the project; undefined when there is none. */
export function readProjectFile(projectDir: string, path: string): ConfigFile | undefined {
  return readDeclaration(join(projectDir, path), path, { root: projectDir });
}

/**
 * Reads a file that a person wrote; undefined when there is none. One that is not text says so in `unreadable`.
 *
 * @param path what a person calls it.
 * @param limits.maxBytes nothing longer is read.
 * @param limits.root the folder that it must be in: a folder of `scenarios/` may come from somebody else, and what its
 *   files hold goes into guests, and from there into evidence.
 */
export function readDeclaration(
  file: string,
  path: string,
  { maxBytes = MAX_BYTES, root }: { readonly maxBytes?: number; readonly root?: string } = {},
): ConfigFile | undefined {
  const found = findStats(file);
  if (found === undefined) return undefined;
  const wrong = (unreadable: string): ConfigFile => ({ path, text: '', unreadable });
  if (found.isDirectory()) return wrong('a folder');
  if (found.isSymbolicLink()) return wrong('a link that leads in a circle');
  // Reading a pipe waits for its writer, and some devices never end.
  if (!found.isFile()) return wrong('a pipe, socket or device');
  if (found.size > maxBytes) return wrong(`${found.size} bytes, more than the ${maxBytes} that are read`);
  const elsewhere = root === undefined ? undefined : whyNotOfProject(root, file);
  if (elsewhere !== undefined) return wrong(`a link to what ${elsewhere}`);
  try {
    const bytes = findBytes(file, maxBytes, root) ?? Buffer.alloc(0);
    const [first = 0, second = 0] = bytes;
    if (Math.min(first, second) === 0xfe && Math.max(first, second) === 0xff) return wrong('UTF-16');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? wrong('bytes that are not text') : { path, text };
  } catch (error) {
    if (error instanceof TypeError) return wrong('bytes that are not UTF-8');
    const { code } = (error instanceof HostError ? error.cause : error) as NodeJS.ErrnoException;
    return wrong(`a file that cannot be read (${code ?? 'unknown'})`);
  }
}

function findStats(path: string): Stats | undefined {
  return lookAt((stat) => stat(path, { throwIfNoEntry: false }));
}

/** The files of the scenarios in a folder, and in folders of scenarios. Next to them may be files that the lab does not read. */
function listScenarios(projectDir: string, folder: string, levels: number): string[] {
  return listVisible(join(projectDir, folder)).flatMap((name) => {
    const path = join(folder, name);
    return isGroup(join(projectDir, path), levels)
      ? listScenarios(projectDir, path, levels - 1)
      : listBelow(projectDir, path, 1);
  });
}

/** Whether a folder has scenarios in it, and is not one. */
function isGroup(folder: string, levels: number): boolean {
  if (levels === 0 || isFileAt(join(folder, 'scenario.yaml'))) return false;
  return listVisible(folder).some(
    (name) => isFileAt(join(folder, name, 'scenario.yaml')) || isGroup(join(folder, name), levels - 1),
  );
}

function isFileAt(path: string): boolean {
  // Below a file there is nothing, which stat calls an error.
  return existsSync(path) && statSync(path).isFile();
}

/** @param depth how many levels of folders are looked into: a folder further down is a file that is none. */
function listBelow(projectDir: string, folder: string, depth: number): string[] {
  return listVisible(join(projectDir, folder)).flatMap((name) => {
    const path = join(folder, name);
    const isFolder = findStats(join(projectDir, path))?.isDirectory() === true;
    return isFolder && depth > 0 && !isDeclaration(path) ? listBelow(projectDir, path, depth - 1) : [path];
  });
}

/** Names in a folder, sorted; none when there is no such folder. */
function listVisible(folder: string): string[] {
  if (findStats(folder)?.isDirectory() !== true) return [];
  return readdirSync(folder)
    .filter((name) => !/^\.|~$|\.(md|swp|orig|rej|bak)$/i.test(name))
    .sort();
}
