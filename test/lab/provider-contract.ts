import type { ProviderSchemas, SchemaBlock } from '../../lab/drivers/machines/terraform.ts';

type Json = Readonly<Record<string, unknown>>;

/** Compares all that a synthesised stack says with the provider's own schema; returns one line for each problem. */
export function findContractProblems(stack: Json, schemas: ProviderSchemas, source: string): string[] {
  const schema = schemas.provider_schemas[source];
  if (schema === undefined) return [`no schema for ${source}`];
  const problems: string[] = [];
  const providers = (stack['provider'] as Json)['libvirt'] as Json[];
  for (const provider of providers) checkBlock(provider, schema.provider.block, 'provider', problems);
  for (const [type, resources] of Object.entries(stack['resource'] as Record<string, Json>)) {
    const resource = schema.resource_schemas[type];
    if (resource === undefined) {
      problems.push(`${type}: the provider has no such resource`);
      continue;
    }
    for (const values of Object.values(resources)) checkBlock(values as Json, resource.block, type, problems);
  }
  return [...new Set(problems)];
}

function checkBlock(values: Json, block: SchemaBlock, path: string, problems: string[]): void {
  const attributes = block.attributes ?? {};
  const blocks = block.block_types ?? {};
  for (const [name, value] of Object.entries(values)) {
    if (name === '//') continue; // metadata of cdktf, a comment for Terraform
    const attribute = attributes[name];
    const nested = blocks[name];
    if (attribute !== undefined) {
      if (attribute.required !== true && attribute.optional !== true) {
        problems.push(`${path}.${name}: read-only in the provider`);
      } else if (!fits(value, attribute.type)) {
        problems.push(`${path}.${name}: ${JSON.stringify(value)} is not ${JSON.stringify(attribute.type)}`);
      }
    } else if (nested !== undefined && Array.isArray(value)) {
      if (value.length > (nested.max_items ?? Infinity)) problems.push(`${path}.${name}: too many blocks`);
      for (const item of value as Json[]) checkBlock(item, nested.block, `${path}.${name}`, problems);
    } else {
      problems.push(`${path}.${name}: unknown to the provider`);
    }
  }
  for (const [name, attribute] of Object.entries(attributes)) {
    if (attribute.required === true && values[name] === undefined) problems.push(`${path}.${name}: missing`);
  }
}

/** Tells whether a JSON value fits a type in Terraform's notation. A reference fits every simple type. */
function fits(value: unknown, type: unknown): boolean {
  if (typeof value === 'string' && /^\$\{[^{}]+\}$/.test(value) && typeof type === 'string') return true;
  if (type === 'string') return typeof value === 'string';
  if (type === 'number') return typeof value === 'number';
  if (type === 'bool') return typeof value === 'boolean';
  if (!Array.isArray(type)) return false;
  const [kind, inner] = type as [string, unknown];
  if (kind === 'map') return isObject(value) && Object.values(value).every((item) => fits(item, inner));
  return Array.isArray(value) && value.every((item) => fits(item, inner));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
