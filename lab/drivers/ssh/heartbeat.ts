import type { Writable } from 'node:stream';
import type { Missed } from '../../model/evidence/cell-record.ts';
import type { Clock } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { openEvidenceFile } from '../files/evidence-file.ts';
import { awaitBanner } from './ssh-banner.ts';

/** A recording of how nodes answer. */
export interface HeartbeatRecording {
  /** Asks no more, says so in the file, and ends it; resolves to what it lacks. */
  stop(): Promise<Missed[]>;
}

/** A node and the port of 127.0.0.1 at which its SSH server is. */
export interface HeartNode {
  readonly name: string;
  readonly sshPort: number;
}

/**
 * Asks each node for an SSH greeting again and again, from the host: what somebody who wants to log in would see. The
 * server makes a process for each connection, so a node whose programs cannot run does not answer, although its kernel
 * takes the connection.
 *
 * Writes lines `{kind, at, node, asked, error?}` of JSON, times in ms since the epoch: `answer` when a greeting came to
 * the question of `asked`, `silence` at each interval without one, `start` and `stop` at both ends.
 */
export async function recordHeartbeat(
  clock: Clock,
  nodes: readonly HeartNode[],
  everyMs: number,
  localFile: string,
): Promise<HeartbeatRecording> {
  const { sink, end } = openEvidenceFile(localFile);
  const hearts = nodes.map((node) => startHeart(clock, node, everyMs, sink));
  return {
    stop: () => {
      for (const stop of hearts) stop();
      return end();
    },
  };
}

/** @returns what ends it. */
function startHeart(
  clock: Clock,
  { name: node, sshPort }: HeartNode,
  everyMs: number,
  sink: Writable,
): () => void {
  const write = (kind: string, fields: object = {}): void => {
    sink.write(`${JSON.stringify({ kind, at: clock.now(), node, ...fields })}\n`);
  };
  /** The question that has no answer yet. */
  let open: { readonly asked: number; readonly end: AbortController } | undefined;
  const tick = (): void => {
    if (open !== undefined) {
      write('silence', { asked: open.asked });
      return;
    }
    const asked = clock.now();
    const end = new AbortController();
    open = { asked, end };
    const answer = (kind: string, fields: object): void => {
      open = undefined;
      // The file has ended with the asking.
      if (!end.signal.aborted) write(kind, fields);
    };
    awaitBanner(sshPort, {
      timeoutMs: TIME_LIMITS.cell.heartbeat.ms,
      signal: end.signal,
      inBackground: true,
    }).then(
      (socket) => {
        socket.destroy();
        answer('answer', { asked });
      },
      (error: unknown) => answer('silence', { asked, error: (error as Error).message }),
    );
  };
  write('start');
  tick();
  const timer = setInterval(tick, everyMs);
  // A cell that breaks off must not keep the command alive.
  timer.unref();
  return () => {
    clearInterval(timer);
    open?.end.abort();
    write('stop');
  };
}
