import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder } from './files.ts';

/** Reads the evidence files of a cell's folder: path inside the folder → text. Two levels deep, as documented. */
export function readCellFolder(dir: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const name of listFolder(dir)) {
    const below = listFolder(join(dir, name));
    if (below.length === 0) addFile(files, dir, name);
    for (const file of below) addFile(files, dir, join(name, file));
  }
  return files;
}

function addFile(files: Map<string, string>, dir: string, name: string): void {
  if (!/\.(log|jsonl|json)$/.test(name)) return;
  files.set(name, readFileSync(join(dir, name), 'utf8'));
}
