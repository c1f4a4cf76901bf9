import { ApiException } from '@kubernetes/client-node';

/** Whether an error of the client is the API saying "no such object". */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiException && error.code === 404;
}

/** The API's own message of an error, or the error's. */
export function apiErrorText(error: unknown): string {
  if (error instanceof ApiException) {
    const body: unknown = error.body;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return `HTTP ${error.code}: ${/"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text.slice(0, 300)}`;
  }
  return error instanceof Error ? error.message : String(error);
}
