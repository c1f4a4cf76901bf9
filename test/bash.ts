/**
 * For every bash that a test starts: Node gives a program sockets, and bash takes a socket on its input for a remote shell, for which it
 * reads ~/.bashrc, whatever its user has in there.
 */
export const NO_RC = '--norc';
