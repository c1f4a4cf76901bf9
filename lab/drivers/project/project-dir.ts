import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project that this program is of, whether it runs from its sources or from what was written of them. */
export const PROJECT_DIR = findAbove(dirname(fileURLToPath(import.meta.url)));

function findAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findAbove(dirname(folder));
}
