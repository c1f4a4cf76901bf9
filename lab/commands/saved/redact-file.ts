import { isUtf8 } from 'node:buffer';
import { unzip, zip } from '../../drivers/files/archive.ts';
import { createLineRedactor, redactText } from '../../evidence/redact.ts';
import type { OnRedacted } from '../../evidence/secret-patterns.ts';

/** The largest file of JSON or YAML that is read as a whole. Larger ones are read line by line. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;
/** The most bytes that are unpacked: a few MB of zeros would unpack to as many GB. */
const MAX_UNZIPPED_BYTES = 1024 * 1024 * 1024;
const NEWLINE = 10;

/**
 * Takes the secrets out of a file.
 *
 * @param name its ending decides how the file is read: `.json` and `.yaml` as a whole, `.gz` unpacked, all others by lines.
 * @param onRedacted is called with the name of the rule, once for each value that was replaced.
 * @throws Error when a file named `.gz` is not one.
 */
export function redactFile(name: string, bytes: Buffer, onRedacted?: OnRedacted): Buffer {
  if (name.endsWith('.gz'))
    return zip(redactFile(name.slice(0, -'.gz'.length), unzip(bytes, MAX_UNZIPPED_BYTES), onRedacted));
  // Bytes that are not UTF-8 stay what they are.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  if (/\.(?:json|ya?ml)$/.test(name) && bytes.length <= MAX_WHOLE_BYTES)
    return Buffer.from(redactText(bytes.toString(encoding), name, onRedacted), encoding);
  const redact = createLineRedactor(onRedacted);
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.toString(encoding, start, end);
    const redacted = redact(line);
    pieces.push(redacted === line ? bytes.subarray(start, end) : Buffer.from(redacted, encoding));
    if (found >= 0) pieces.push(bytes.subarray(end, end + 1));
    start = end + 1;
  }
  return Buffer.concat(pieces);
}
