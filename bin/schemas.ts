/** Writes the JSON Schemas of the files and formats into docs/schemas/, from the zod schemas: `npm run schemas`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderSchemas } from '../lab/report/render-schemas.ts';

const folder = join(import.meta.dirname, '..', 'docs', 'schemas');
mkdirSync(folder, { recursive: true });
for (const [name, text] of renderSchemas()) {
  writeFileSync(join(folder, name), text);
  process.stdout.write(`docs/schemas/${name}\n`);
}
