import { SIGKILL, SIGSEGV, SIGTERM } from '../../model/evidence/signals.ts';

/**
 * The exit code of a process that a signal ended is this much more than the signal's number, as shells and runtimes report
 * it. A program may exit with such a code as well.
 */
export const EXIT_SIGNALLED = 128;
/** Exit code of a process that SIGKILL ended, as runtimes report it. */
export const EXIT_SIGKILL = EXIT_SIGNALLED + SIGKILL;
/** Exit code of a process that SIGTERM ended. */
export const EXIT_SIGTERM = EXIT_SIGNALLED + SIGTERM;
/** Exit code of a process that the kernel ends after a fault of its own (make_task_dead of kernel/exit.c). */
export const EXIT_SIGSEGV = EXIT_SIGNALLED + SIGSEGV;
/**
 * Codes that a program chooses. 0, 1 and 2 are also what one leaves that was asked to stop, or that lost a child; 2 is Go's
 * for an unhandled SIGTERM that it sends itself as the first process.
 */
export const CHOSEN = { from: 3, to: EXIT_SIGNALLED - 1 } as const;
/** What containerd reports of a task that it does not find again (`unknownExitCode` of internal/cri/server/restart.go). */
export const EXIT_UNKNOWN = 255;

/** What gVisor's shim says of a container after its sandbox died: nobody is left who knows (seen with 2023 to 2026). */
export const EXIT_SANDBOX_LOST = 128;
