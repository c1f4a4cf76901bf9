/** What people paste that tells nothing of an end, by how it begins, and what it is. */
const KNOWN: readonly (readonly [what: string, sign: RegExp])[] = [
  ['how much memory was free when somebody asked (free)', /^\s*total\s+used\s+free\b|^Mem:\s+\d/],
  [
    'what ran and how much it used when somebody asked (top, ps)',
    /^top - \d\d:|^\s*(?:USER|UID)\s+PID\b|^\s*PID\s+(?:USER|TTY)\b/,
  ],
  ['how much pods used when somebody asked (kubectl top)', /^(?:NAMESPACE\s+)?NAME\s+CPU\(cores\)/],
  ['how much containers used when somebody asked (docker stats)', /^CONTAINER ID\s+NAME\s+CPU %/],
  [
    'a list of processes that dumped core (coredumpctl), which may be of any container',
    /^TIME\s+PID\s+UID\s+GID\s+SIG\b|^\s*PID: \d+ \(/,
  ],
  ['a list of sandboxes (crictl pods)', /^POD ID\s+CREATED\s+STATE\b/],
  ['a list of nodes', /^NAME\s+STATUS\s+ROLES\b/],
  ['how full file systems were (df)', /^Filesystem\s+/],
  [
    "a program's own error, and not who ended it",
    /java\.lang\.OutOfMemoryError|JavaScript heap out of memory|^panic: |^Traceback \(most recent call last\)/,
  ],
];

const LETTER = /[a-z]/i;
/** What is in programs and pictures, and in no text: control characters, and bytes that are no UTF-8. */
// eslint-disable-next-line no-control-regex -- it looks for them
const NO_TEXT = /[\x01-\x08\x0e-\x1a\x1c-\x1f\ufffd]/;

/** What a text is that is not evidence; undefined where nothing tells. */
export function describeNoEvidence(lines: readonly string[]): string | undefined {
  const known = KNOWN.find(([, sign]) => lines.some((text) => sign.test(text)))?.[0];
  if (known !== undefined) return known;
  const isText = lines.some((text) => LETTER.test(text)) && !lines.some((text) => NO_TEXT.test(text));
  const hasNul = lines.some((text) => text.includes('\0'));
  return isText && hasNul ? 'not text in UTF-8 or UTF-16, for it has NUL bytes' : undefined;
}
