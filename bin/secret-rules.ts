/**
 * Writes lab/evidence/gitleaks-rules.ts from the rules of gitleaks (MIT): `npx tsx bin/secret-rules.ts <gitleaks.toml>
 * <LICENSE> <version>`, with both files from the folder of a release. Run it for a newer release.
 *
 * Its expressions are for Go, which never goes back. Node does, so what repeats without an end ends at 512 here, and the
 * words before a name, which say nothing of where the secret is, are left out. A rule that ignores case in a part of its
 * expression does so in all of it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';

interface Rule {
  readonly id: string;
  readonly regex?: string;
  readonly keywords?: readonly string[];
  readonly entropy?: number;
  readonly secretGroup?: number;
  readonly path?: string;
}

const FILE = join(import.meta.dirname, '../lab/evidence/gitleaks-rules.ts');
const LONGEST = 512;
/** What lab/evidence/ reads by itself, over several lines too, and rules of lines of source code. */
const LEFT_OUT = [
  'private-key',
  'kubernetes-secret-yaml',
  'curl-auth-header',
  'curl-auth-user',
  'generic-api-key',
  'jwt',
];
const END = String.raw`(?:[\x60'"\s;]|\\[nr]|$)`;
/** JSON in JSON goes on with a backslash; HTML, YAML and an address with others. */
const OUR_END = String.raw`(?=[\x60'"\s;\\,&<>)}\]]|$)`;

/** The same expression for Node. */
function translate(go: string): { readonly source: string; readonly flags: string } {
  const flags = /\(\?i[):]/.test(go) ? 'i' : '';
  const source = go
    .replaceAll(END, OUR_END)
    .replaceAll(String.raw`[\w.-]{0,50}?`, '')
    .replaceAll('(?i)', '')
    .replaceAll(/\(\?-?i:/g, '(?:')
    .replaceAll(/\(\?P<\w+>/g, '(?:')
    .replaceAll('[[:alnum:]]', '[a-zA-Z0-9]')
    .replaceAll(String.raw`\z`, '$');
  return { source: boundRepeats(source), flags };
}

/** Gives an end to what repeats without one, outside of classes. */
function boundRepeats(source: string): string {
  return source.replaceAll(
    /(\\.|\[(?:\\.|[^\]\\])*\])|\{(\d+),\}|([+*])/g,
    (_, kept: string | undefined, least: string | undefined, sign: string | undefined) =>
      kept ?? `{${least ?? (sign === '+' ? 1 : 0)},${LONGEST}}`,
  );
}

function render(rules: readonly Rule[], version: string, license: string): string {
  const lines = rules.flatMap(({ id, regex, keywords = [], entropy = 0, secretGroup, path }) => {
    if (regex === undefined || path !== undefined || LEFT_OUT.includes(id)) return [];
    const { source, flags } = translate(regex);
    const pattern = new RegExp(source, `${flags}dg`);
    const known = keywords.map((keyword) => keyword.toLowerCase());
    const group = secretGroup === undefined ? '' : `, group: ${secretGroup}`;
    return [
      `  { id: '${id}', keywords: ${JSON.stringify(known)}, entropy: ${entropy}, pattern: ${pattern}${group} },`,
    ];
  });
  const comment = license
    .trim()
    .split('\n')
    .map((line) => ` * ${line}`.trimEnd());
  return [
    '/**',
    ` * Written by bin/secret-rules.ts from the rules of gitleaks ${version}, not by hand.`,
    ' *',
    ...comment,
    ' */',
    '',
    '/* eslint-disable no-useless-escape -- the expressions are those of gitleaks */',
    '',
    '/** How one kind of secret is found. */',
    'export interface TokenRule {',
    '  readonly id: string;',
    '  /** One of them, in small letters, is in every line that has the secret. */',
    '  readonly keywords: readonly string[];',
    '  /** Bits for each letter that the secret has more of. */',
    '  readonly entropy: number;',
    '  readonly pattern: RegExp;',
    '  /** The group that is the secret; otherwise the first one that is there, or all of it. */',
    '  readonly group?: number;',
    '}',
    '',
    'export const TOKEN_RULES: readonly TokenRule[] = [',
    ...lines,
    '];',
    '',
  ].join('\n');
}

const [toml = '', license = '', version = ''] = process.argv.slice(2);
const { rules } = parse(readFileSync(toml, 'utf8')) as unknown as { rules: readonly Rule[] };
writeFileSync(FILE, render(rules, version, readFileSync(license, 'utf8')));
