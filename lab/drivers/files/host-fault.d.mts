/** Types of host-fault.mjs, which is plain JavaScript because the launcher uses it before node modules are there. */

/** What a person reads of a refused system call. */
export interface HostFault {
  readonly code: 'LAB_ACCESS' | 'LAB_DISK';
  readonly message: string;
  readonly lastSeen: string;
  /** The one line that mends it. */
  readonly tryNext: string;
}

/**
 * Describes an error of the operating system about a file; undefined for any other error.
 *
 * @param name what was asked for, where the error does not say it.
 */
export function describeHostFault(error: unknown, name?: string): HostFault | undefined;

/** The line that gives back to us what a command of root has left, or that names another place. */
export function mendOwner(path: string): string;
