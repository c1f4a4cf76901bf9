/** A JSON Schema, as it is printed. */
type Schema = Readonly<Record<string, unknown>>;

/** Where the definition of a parameter is in the schema of a scenario. */
const PART = 'parameterInText';
const WHOLE = 'parameter';
const NAME = String.raw`\$\{[a-z][a-zA-Z0-9]*\}`;

/** Fields whose texts are not filled in, or are needed before anything can be. */
const UNFILLED = ['formatVersion', 'name', 'kind', 'parameters', 'script'];

/**
 * Allows `${parameter}` wherever one may be filled in. The lab fills parameters in before it checks a file, so its own
 * schema does not have them; an editor checks the file as it is written.
 */
export function allowParameters(schema: Schema): Schema {
  const { $defs = {}, ...rest } = allowBelow(schema) as Schema & { $defs?: Schema };
  return {
    ...rest,
    $defs: {
      ...$defs,
      [PART]: { type: 'string', pattern: NAME, description: 'Text with `${name}` of a parameter in it.' },
      [WHOLE]: { type: 'string', pattern: `^${NAME}$`, description: '`${name}` of a parameter.' },
    },
  };
}

function allowBelow(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(allowBelow);
  if (typeof schema !== 'object' || schema === null) return schema;
  const below = Object.fromEntries(
    Object.entries(schema).map(([key, inner]: [string, unknown]) => [
      key,
      key === 'properties' ? allowInFields(inner as Schema) : DATA.includes(key) ? inner : allowBelow(inner),
    ]),
  );
  return allowHere(below);
}

/** Keywords whose values are data, not schemas. */
const DATA = ['enum', 'const', 'default', 'required', 'examples'];

function allowInFields(fields: Schema): Schema {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      UNFILLED.includes(name) ? field : allowBelow(field),
    ]),
  );
}

/** Adds a text with a parameter as an alternative, if the schema would not accept it. */
function allowHere(schema: Schema): Schema {
  const { description, default: usual, ...own } = schema;
  const { type, enum: options, pattern, const: only } = own;
  const isText =
    (type === 'string' && pattern !== undefined) || (Array.isArray(options) && type !== 'number');
  const isOther = type === 'number' || type === 'integer' || type === 'boolean';
  if (only !== undefined || !(isText || isOther)) return schema;
  return {
    ...(description === undefined ? {} : { description }),
    ...(usual === undefined ? {} : { default: usual }),
    anyOf: [own, { $ref: `#/$defs/${isText ? PART : WHOLE}` }],
  };
}
