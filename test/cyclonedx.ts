import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Validator, type Schema } from '@cfworker/json-schema';

/** CycloneDX's own schemas, as its library ships them. */
const SCHEMAS = join(
  dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json')),
  'res/schema',
);

const read = (name: string): Schema =>
  JSON.parse(readFileSync(join(SCHEMAS, `${name}.SNAPSHOT.schema.json`), 'utf8')) as Schema;

/** What CycloneDX's JSON schema of the document's version says is wrong with it; empty when it is valid. */
export function listSchemaErrors(document: unknown): string[] {
  const { specVersion } = document as { specVersion: string };
  const validator = new Validator(read(`bom-${specVersion}`), '7', false);
  // Schemas refer to each other by the names of these files, which are not what they call themselves.
  for (const name of ['spdx', 'jsf-0.82'])
    validator.addSchema({ ...read(name), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` });
  const { errors } = validator.validate(document);
  return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}
