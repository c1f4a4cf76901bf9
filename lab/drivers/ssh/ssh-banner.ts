import { connect, type Socket } from 'node:net';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';

/**
 * QEMU accepts a forwarded connection before the guest listens, and then repeats its own SYN only after seconds: a
 * connection without a banner is given up soon. A new one gets through as soon as the guest listens.
 */

/** How long a greeting is waited for. */
export interface BannerWait {
  /** Default: TIME_LIMITS.machines.sshBanner.ms. */
  readonly timeoutMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** Whether the command may end while it waits. Default: false. */
  readonly inBackground?: boolean;
}

/**
 * Resolves to a connection on which an SSH server has sent its greeting. The greeting is still to be read. Rejects when
 * none comes in time. Each connection costs the guest a process, so the handshake uses this one.
 */
export function awaitBanner(
  port: number,
  { timeoutMs = TIME_LIMITS.machines.sshBanner.ms, signal, inBackground = false }: BannerWait = {},
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ...(signal === undefined ? {} : { signal }) });
    if (inBackground) socket.unref();
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const onClose = (): void => fail(new Error('the connection was closed without an SSH greeting'));
    socket.setTimeout(timeoutMs, () => fail(new Error(`no SSH greeting within ${timeoutMs / 1000} s`)));
    socket.once('error', fail);
    socket.once('close', onClose);
    socket.once('data', (data) => {
      if (!data.toString().startsWith('SSH-')) return fail(new Error('something other than SSH answers'));
      socket.pause();
      socket.unshift(data);
      socket.setTimeout(0);
      socket.off('error', fail);
      socket.off('close', onClose);
      resolve(socket);
    });
  });
}
