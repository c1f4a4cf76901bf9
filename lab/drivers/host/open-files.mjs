/** How many files this process may open. Plain JavaScript: the launcher asks too, before node modules are there. */
import { existsSync, readFileSync } from 'node:fs';

const LIMITS = '/proc/self/limits';

/** @returns {number} */
export function findOpenFilesLimit() {
  if (!existsSync(LIMITS)) return Infinity;
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS, 'utf8'))?.[1] ?? Infinity);
}
