import { resolve } from 'node:path';
import { HostError, UsageError } from '../../model/errors/errors.ts';
import { isObject, tryParseJson } from '../../model/files/parse-json.ts';
import { isFolder } from './files.ts';
import { findBytes, MAX_TEXT_BYTES } from './open-file.ts';

/** A file that a person names on the command line. */
interface NamedFile {
  /** As it was typed. */
  readonly name: string;
  /** What it must be: `a plan`. */
  readonly is: string;
  /** How such a file is made. */
  readonly tryNext: string;
  readonly maxBytes?: number;
}

/**
 * Reads a file that a person has named. Whatever else has that name is a slip of theirs, and not a fault of the state folder.
 *
 * @throws UsageError when it is not there, is a folder or a device, or is too large; HostError LAB_ACCESS when it may not be read.
 */
export function readNamedText({ name, is, tryNext, maxBytes = MAX_TEXT_BYTES }: NamedFile): string {
  const path = resolve(name);
  if (isFolder(path)) throw new UsageError(`${name} is not ${is}: it is a folder`, { tryNext });
  try {
    const bytes = findBytes(path, maxBytes);
    if (bytes !== undefined) return bytes.toString('utf8');
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'LAB_STATE_FILE') throw error;
    throw new UsageError(error.message, { tryNext, cause: error });
  }
  throw new UsageError(`there is no file "${name}"`, { tryNext });
}

/** Reads such a file that holds one JSON object; throws like `readNamedText`, and for anything else in it. */
export function readNamedJson(file: NamedFile): Readonly<Record<string, unknown>> {
  const text = readNamedText(file);
  const value = tryParseJson(text);
  if (isObject(value)) return value;
  throw new UsageError(`${file.name} is not ${file.is}: ${describeOther(text, value)}`, {
    tryNext: file.tryNext,
  });
}

/** What a text is that has no fields. */
function describeOther(text: string, value: unknown): string {
  if (value !== undefined) return 'it is JSON without fields';
  return text.trim() === '' ? 'it is empty' : 'it is not JSON, or only a part of it';
}
