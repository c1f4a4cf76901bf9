import { z } from 'zod';

/**
 * Schema of a moment in a file: ISO 8601 with its zone. Text of another kind is refused, for it would be sorted and shown as
 * if it were a time.
 */
export function isoTime(what: string): z.ZodISODateTime {
  return z.iso.datetime({ offset: true, error: 'an ISO 8601 time' }).describe(`${what}; ISO 8601, UTC.`);
}
