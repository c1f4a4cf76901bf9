import { HostError, type ErrorDetails } from '../../model/errors/errors.ts';
import { describeHostFault } from './host-fault.mjs';

/**
 * The error that a person reads about a file that the host refuses: HostError LAB_ACCESS or LAB_DISK, with the path, its
 * owner and the line that mends it. Any other error as it is.
 *
 * @param path what was asked for; default: as the error says.
 */
export function nameHostFault(error: unknown, path?: string): unknown {
  const fault = describeHostFault(error, path);
  if (fault === undefined) return error;
  const { code, message, lastSeen, tryNext } = fault;
  return new HostError(code, message, { lastSeen, tryNext, cause: error });
}

/**
 * What an error with a code of its own adds of a cause: what was seen, and the line that mends it.
 *
 * @param otherwise the advice where the cause is none of the known ones.
 */
export function detailsOfCause(cause: unknown, otherwise: string): ErrorDetails {
  const fault = describeHostFault(cause);
  return {
    lastSeen: fault?.lastSeen ?? (cause as Error).message,
    tryNext: fault?.tryNext ?? otherwise,
    cause,
  };
}
