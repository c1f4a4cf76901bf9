import { ApiException } from '@kubernetes/client-node';
import { errorText } from '../../model/errors/errors.ts';

/** The HTTP status of an error that the API answered; undefined when nothing was answered. */
export function apiErrorStatus(error: unknown): number | undefined {
  return error instanceof ApiException ? error.code : undefined;
}

/** The API's own message of an error, or the error's with what was seen last. */
export function apiErrorText(error: unknown): string {
  if (error instanceof ApiException) {
    const body: unknown = error.body;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return `HTTP ${error.code}: ${/"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text.slice(0, 300)}`;
  }
  return errorText(error);
}
