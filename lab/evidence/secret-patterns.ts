import { TOKEN_RULES, type TokenRule } from './gitleaks-rules.ts';

/**
 * Secrets that one line shows: tokens of services by the rules of gitleaks, and what is named like a secret. Each
 * expression takes no longer than the line is long, and what repeats in it has an end: V8 keeps a way back for each
 * repetition, and its stack overflows at some millions of them. The end of a long run is looked for by the first letter
 * that is not part of it.
 */

/** What a secret is replaced by. */
export const REDACTED = '[redacted]';
/** As far as an expression goes that ends at a bracket. */
const BEGINS_REDACTED = REDACTED.slice(0, -1);

/** Is called with the name of the rule, once for each value that is replaced. */
export type OnRedacted = (rule: string) => void;

/** Fields whose value is a secret, as YAML, JSON, JSON inside of JSON, and flags write them. */
const SECRET_FIELDS = [
  'client-key-data',
  'client-certificate-data',
  'certificate-key',
  'certificateKey',
  'token',
  'id-token',
  'access-token',
  'refresh-token',
  'bearerToken',
  'token-secret',
].join('|');

/** A secret that is a run of letters of one kind. */
interface SecretRun {
  readonly rule: string;
  /** Ends behind the first letters of the secret, which are as many as it has at least. Its first group is kept. */
  readonly begin: RegExp;
  /** What is not part of the secret. */
  readonly outside: RegExp;
}

/** Between a name and its value. */
const ASSIGNS = String.raw`\\{0,64}["']?\s{0,8}[:=]\s{0,8}`;
const SCHEMES = '(?:basic|bearer|digest|negotiate|token|apikey)';

/** @param letters the inside of a class, of which the secret has at least so many. */
function secretRun(
  rule: string,
  { before, letters, least }: { readonly before: string; readonly letters: string; readonly least: number },
  flags = 'g',
): SecretRun {
  const inverse = letters.startsWith('^') ? letters.slice(1) : `^${letters}`;
  return {
    rule,
    begin: new RegExp(`(${before})[${letters}]{${least}}`, flags),
    outside: new RegExp(`[${inverse}]`, 'g'),
  };
}

const SECRET_RUNS: readonly SecretRun[] = [
  secretRun('secret-field', {
    before: String.raw`(?<![\w-])(?:--)?(?:${SECRET_FIELDS})${ASSIGNS}\\{0,64}["']?|--(?:${SECRET_FIELDS})\s{1,8}`,
    letters: String.raw`\w+/=.~-`,
    least: 8,
  }),
  secretRun(
    'authorization-header',
    {
      before: String.raw`\bauthorization${ASSIGNS}\[?\\{0,64}["']?(?:${SCHEMES}\s{1,8})?(?!${SCHEMES}\s)`,
      letters: String.raw`^\s"'\\,{}[\]`,
      least: 4,
    },
    'gi',
  ),
  secretRun(
    'bearer-token',
    {
      before: String.raw`\bbearer\s{1,8}(?=[\w.~+/=-]{0,512}\d)`,
      letters: String.raw`\w.~+/=-`,
      least: 8,
    },
    'gi',
  ),
  secretRun(
    'cookie',
    {
      before: String.raw`\b(?:set-)?cookie${ASSIGNS}\[?\\{0,64}["']?(?=[^\s"'\\]{0,256}=)`,
      letters: String.raw`^"'\\`,
      least: 4,
    },
    'gi',
  ),
  secretRun(
    'cookie',
    {
      before: String.raw`\b(?:JSESSIONID|PHPSESSID|connect\.sid|sessionid)=`,
      letters: String.raw`\w%.~+/=-`,
      least: 8,
    },
    'gi',
  ),
  secretRun('registry-auth', {
    before: String.raw`(?:["']|\b_)auth${ASSIGNS}\\{0,64}["']?`,
    letters: 'A-Za-z0-9+/=',
    least: 8,
  }),
];

/** Each pattern keeps its first group. */
const PATTERNS: readonly (readonly [rule: string, pattern: RegExp])[] = [
  // The name of an Event of a pod with six letters looks the same: its second part is a time in nanoseconds.
  ['bootstrap-token', /((?<![\w.-]))[a-z0-9]{6}\.(?!1[5-9a-c][0-9a-f]{14})[a-z0-9]{16}(?![\w.-])/g],
  ['user-in-address', /(:\/\/[^\s:@/"'\\]{0,256}:)[^\s@/"'\\]{1,512}(?=@)/g],
  [
    'user-of-curl',
    /(\bcurl\b.{0,200}?\s(?:-u|--user)[\s=]{0,4}\\{0,64}["']?[^\s:"'\\]{1,256}:)[^\s"'\\]{1,512}/g,
  ],
  ['password-flag', /(\b(?:sshpass\s{1,4}-p\s{0,4}|mysql(?:dump|admin)?\b.{0,200}?\s-p))[^\s"'\\]{3,512}/g],
  ['password-of-redis', /(\brequirepass\s{1,4})[^\s"'\\]{1,512}/g],
  ['password-of-netrc', /(\blogin\s{1,8}\S{1,256}\s{1,8}password\s{1,8})\S{1,512}/g],
  ['password-hash', /((?<![\w$]))\$(?:1|2[aby]|5|6|7|y|apr1|argon2\w{1,2})\$[./\w$=,+-]{20,512}/g],
  [
    'env-of-a-log',
    /(\bEnvVar\{Name:[\w.-]{0,256},Value:)(?!,ValueFrom:|\[redacted\])[^}]{1,4096}?(?=,ValueFrom:)/g,
  ],
];

/** Names whose value is secret whatever it looks like. */
const PASSWORDS = ['passw(?:or)?d', 'passphrase', 'pwd', 'rediscli_auth'];
/** Names whose value is secret when it looks like something that was drawn. */
const KEYS = [
  'secret',
  'token',
  'credentials?',
  '(?:api|access|account|private|signing|encryption|master|secret|shared|storage|auth)[._-]?key',
  'webhook[._-]?url',
  'session[._-]?key',
  'dsn',
];
/** What may come after the name: `DB_PASSWORD_FILE` and `secretName` name something else. */
const AFTER = String.raw`(?:[._-]?(?:value|data|hash|base64|b64|old|new|[0-9]{1,3}))?`;
const NAMED = new RegExp(
  String.raw`(${[...PASSWORDS, ...KEYS].join('|')})${AFTER}(\\{0,64}["']?\]?\s{0,8}(?::=|=>|[:=])\s{0,8}|(?<=--[\w.-]{1,64})\s{1,4})(\\{0,64}["'])?`,
  'gi',
);
const IS_PASSWORD = new RegExp(`^(?:${PASSWORDS.join('|')})$`, 'i');
const ENDS_WORD = /[\s"'\\<>&;{}[\]]/g;
/** So many letters of a quoted value are looked through for its end, and a longer value is not looked at: it is a secret. */
const LONGEST = 4096;

/** Values that say that there is none, or where it is. */
const NO_SECRET =
  /^(?:true|false|null|nil|none|undefined|yes|no|empty|optional|required|<\w*>|\*+|x+|\d{1,3}|\$\(?\{?\w+\}?\)?|(?:\[redacted\].*))$/i;
/** A key or a token is at least this long, and its letters are as different as those of something that was drawn. */
const LEAST_LENGTH = 8;
const LEAST_BITS = 2.75;
/** A path, the name of an object of Kubernetes with its namespace, the name of an image, a digest of one, a duration. */
const NAMES_SOMETHING =
  /^(?:\.{0,2}\/[\w./-]*|[a-z][a-z0-9.-]*\/[a-z0-9./-]+|sha256:.*|[\w.]*\(.*|\d+(?:\.\d+)?[a-zµ]{0,2})$/;

/** Shannon's entropy of a text, in bits for each letter. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Replaces the secrets that a line shows without being read as anything. */
export function redactPatterns(line: string, onRedacted: OnRedacted): string {
  let text = redactTokens(line, onRedacted);
  for (const run of SECRET_RUNS) text = redactRun(text, run, onRedacted);
  for (const [rule, pattern] of PATTERNS)
    text = text.replace(pattern, (found: string, kept: string) => {
      if (found.startsWith(BEGINS_REDACTED, kept.length)) return found;
      onRedacted(rule);
      return kept + REDACTED;
    });
  return redactNamed(text, onRedacted);
}

/**
 * Where a run of letters ends.
 *
 * @param outside what is not part of it; global.
 */
export function endOfRun(text: string, start: number, outside: RegExp): number {
  outside.lastIndex = start;
  return outside.exec(text)?.index ?? text.length;
}

/** A part of a text, and what takes its place. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/**
 * Replaces parts of a text. What is found inside of a replaced part belongs to that: it is not asked about, so that a line
 * that is nothing but beginnings costs no more than its length.
 *
 * @param replace says which part is replaced of what was found; undefined: none.
 */
export function replaceFound(
  text: string,
  pattern: RegExp,
  replace: (found: RegExpExecArray) => Replacement | undefined,
): string {
  let replaced = '';
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    const part = found.index < from ? undefined : replace(found);
    if (part === undefined) continue;
    replaced += text.slice(from, part.start) + part.by;
    from = part.end;
  }
  return replaced + text.slice(from);
}

function redactRun(text: string, { rule, begin, outside }: SecretRun, onRedacted: OnRedacted): string {
  return replaceFound(text, begin, (found) => {
    const start = found.index + (found[1] ?? '').length;
    if (text.startsWith(BEGINS_REDACTED, start)) return undefined;
    onRedacted(rule);
    return { start, end: endOfRun(text, start, outside), by: REDACTED };
  });
}

/** Tokens of services, by the rules of gitleaks. */
function redactTokens(line: string, onRedacted: OnRedacted): string {
  const small = line.toLowerCase();
  let text = line;
  for (const rule of TOKEN_RULES)
    if (rule.keywords.some((keyword) => small.includes(keyword))) text = redactRule(text, rule, onRedacted);
  return text;
}

function redactRule(
  text: string,
  { id, pattern, entropy, group }: TokenRule,
  onRedacted: OnRedacted,
): string {
  return replaceFound(text, pattern, (found) => {
    const at =
      group ??
      Math.max(
        1,
        found.findIndex((part, index) => index > 0 && part !== undefined),
      );
    const [start, end] = found.indices?.[at] ?? found.indices?.[0] ?? [0, 0];
    const secret = text.slice(start, end);
    if (entropyOf(secret) <= entropy || secret.includes(REDACTED)) return undefined;
    onRedacted(id);
    return { start, end, by: REDACTED };
  });
}

/** Values of what is named like a secret: the whole of it when it is quoted, else to the next blank. */
function redactNamed(text: string, onRedacted: OnRedacted): string {
  return replaceFound(text, NAMED, (found) => {
    const [whole, name = '', , quote] = found;
    const start = found.index + whole.length;
    const end = quote === undefined ? endOfWord(text, start) : endOfQuoted(text, start, quote);
    const isPassword = IS_PASSWORD.test(name);
    if (!isSecretValue(text.slice(start, end), isPassword)) return undefined;
    onRedacted(isPassword ? 'named-password' : 'named-secret');
    return { start, end, by: REDACTED };
  });
}

function endOfWord(text: string, start: number): number {
  let end = endOfRun(text, start, ENDS_WORD);
  // A comma at its end belongs to what goes around it.
  while (end > start && ',.)'.includes(text[end - 1] ?? '')) end -= 1;
  return end;
}

/**
 * Where a quoted value ends. JSON in JSON has backslashes before its quotes, and a quote that is in the value has more of
 * them.
 */
function endOfQuoted(text: string, start: number, quote: string): number {
  const before = quote.length - 1;
  const near = text.slice(start, start + LONGEST);
  for (const found of near.matchAll(quote.endsWith('"') ? /\\*"/g : /\\*'/g)) {
    const more = found[0].length - quote.length;
    if (more >= 0 && more % (2 * (before + 1)) === 0) return start + found.index + more;
  }
  return endOfWord(text, start);
}

function isSecretValue(value: string, isPassword: boolean): boolean {
  if (value.length > LONGEST) return true;
  if (value === '' || NO_SECRET.test(value)) return false;
  if (isPassword) return true;
  return value.length >= LEAST_LENGTH && !NAMES_SOMETHING.test(value) && entropyOf(value) >= LEAST_BITS;
}
