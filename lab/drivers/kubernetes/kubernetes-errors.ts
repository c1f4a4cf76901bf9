import type { ApiException } from '@kubernetes/client-node';
import { errorText } from '../../model/errors/errors.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';

/** The HTTP status of an error that the API answered; undefined when nothing was answered. */
export function apiErrorStatus(error: unknown): number | undefined {
  return isAnswer(error) ? error.code : undefined;
}

/** The API's own message of an error, or the error's with what was seen last. */
export function apiErrorText(error: unknown): string {
  if (isAnswer(error)) {
    const body: unknown = error.body;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return `HTTP ${error.code}: ${messageOfStatus(text) ?? text.slice(0, 300)}`;
  }
  return errorText(error);
}

/** The message of a Status object of the API, which may be cut off; undefined where a text has none. */
export function messageOfStatus(text: string): string | undefined {
  const written = /"message": ?("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  const message = written === undefined ? undefined : tryParseJson(written);
  return typeof message === 'string' ? message : undefined;
}

/** Known by its fields: its class is a value of the official client, which takes half a second to load. */
function isAnswer(error: unknown): error is ApiException<unknown> {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'number' &&
    'body' in error &&
    'headers' in error
  );
}
