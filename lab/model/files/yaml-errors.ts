import type { ErrorCode, YAMLError } from 'yaml';

/** What the syntax of YAML wants where a file breaks it, in words for its author. */
const EXPECTED: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) without an anchor or a tag',
  BAD_ALIAS: 'the name of an anchor behind * or &',
  BAD_COLLECTION_TYPE: 'a list or fields that fit their tag',
  BAD_DIRECTIVE: 'a line that does not begin with %',
  BAD_DQ_ESCAPE: "an escape that YAML knows behind \\ (or single quotes: '…')",
  BAD_INDENT: 'the same number of spaces before each entry of a list or field of an object',
  BAD_PROP_ORDER: 'anchors and tags before the value',
  BAD_SCALAR_START: 'text in quotes, because it begins with a character that YAML reserves',
  BLOCK_AS_IMPLICIT_KEY: 'one value, or fields on lines of their own',
  BLOCK_IN_FLOW: 'values on one line between [ ] or { }',
  DUPLICATE_KEY: 'each field once',
  IMPOSSIBLE: 'YAML',
  KEY_OVER_1024_CHARS: 'a field name of at most 1024 characters',
  MISSING_CHAR: 'the end of what was opened: a quote, ], }, or the : or comma between two values',
  MULTILINE_IMPLICIT_KEY: 'a field name and its : on one line',
  MULTIPLE_ANCHORS: 'one anchor for a value',
  MULTIPLE_DOCS: 'one YAML document',
  MULTIPLE_TAGS: 'one tag for a value',
  NON_STRING_KEY: 'text as the name of a field',
  RESOURCE_EXHAUSTION: 'less nesting',
  TAB_AS_INDENT: 'spaces before an entry, not a tab',
  TAG_RESOLVE_FAILED: 'a value without a tag (!…)',
  UNEXPECTED_TOKEN: 'YAML: something here is too much, or needs quotes',
};

/** What was expected where a YAML file is broken. */
export function describeYamlError({ code, message }: YAMLError): string {
  // A list or object that is not closed is also reported as one that is not indented enough.
  return EXPECTED[/ end with a [\]}]/.test(message) ? 'MISSING_CHAR' : code];
}
