import {
  createServer,
  request,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { pipeline, Transform, type TransformCallback } from 'node:stream';
import type { GuestConnection } from '../../model/host/host.ts';

/** One request that a node made, as it ended. */
export interface Served {
  /** When it came, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly node: string;
  readonly method: string;
  /** `/v2/slow/manifests/1` */
  readonly path: string;
  /** 0: it got no answer. */
  readonly status: number;
  /** How much of the answer was sent, without its head. */
  readonly bytes: number;
  readonly tookMs: number;
  /** Whether the answer was sent to its end. */
  readonly whole: boolean;
}

/** What is between the nodes and a registry. */
export interface RegistryFront {
  /** Takes a connection of a node. */
  readonly accept: (node: string, connection: GuestConnection) => void;
  /** Breaks the connections that are left; resolves once each of their requests was reported. */
  close(): Promise<void>;
}

/** What a front needs to know. */
export interface FrontOptions {
  /** The port of the registry on 127.0.0.1. */
  readonly port: number;
  /** Bytes each second of the repositories that are slow, for all nodes together. */
  readonly rates: ReadonlyMap<string, number>;
  readonly now: () => number;
  readonly onServed: (served: Served) => void;
}

/**
 * Hands requests of nodes on to a registry, and its answers back: those of a slow repository at its pace. It listens
 * nowhere; it is handed connections. A node can only read.
 */
export function openRegistryFront(options: FrontOptions): RegistryFront {
  const nodes = new Map<GuestConnection, string>();
  const open = new Set<Promise<void>>();
  let isClosed = false;
  const paces = new Map([...options.rates].map(([repository, rate]) => [repository, createPace(rate)]));
  const server = createServer((asked, answer) => {
    const node = nodes.get(asked.socket) ?? '';
    const served = serve({ ...options, paces }, node, asked, answer);
    open.add(served);
    void served.then(() => open.delete(served));
  });
  return {
    accept: (node, connection) => {
      if (isClosed) return void connection.destroy();
      nodes.set(connection, node);
      connection.on('close', () => nodes.delete(connection));
      connection.on('error', () => undefined); // the node ends it as it likes
      // A server takes any stream that somebody else has accepted (`connection` in the documentation of node:http).
      server.emit('connection', connection);
    },
    close: async () => {
      isClosed = true;
      for (const connection of nodes.keys()) connection.destroy();
      await Promise.all(open);
    },
  };
}

/** Makes streams that let so many bytes through each second, all of them together. */
type Pace = () => Transform;

function createPace(bytesPerSecond: number): Pace {
  let freeAtMs = 0;
  return () => {
    let timer: NodeJS.Timeout | undefined;
    return new Transform({
      transform: (chunk: Buffer, _encoding, done: TransformCallback) => {
        const nowMs = performance.now();
        freeAtMs = Math.max(freeAtMs, nowMs) + (chunk.length * 1000) / bytesPerSecond;
        timer = setTimeout(() => done(null, chunk), freeAtMs - nowMs);
      },
      destroy: (error, done) => {
        clearTimeout(timer);
        done(error);
      },
    });
  };
}

interface Front extends FrontOptions {
  readonly paces: ReadonlyMap<string, Pace>;
}

/** Answers one request; resolves once it is reported. */
function serve(front: Front, node: string, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { method = '', url: path = '' } = asked;
  const atMs = front.now();
  let bytes = 0;
  const count = new Transform({
    transform: (chunk: Buffer, _encoding, done: TransformCallback) => {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const upstream = method === 'GET' || method === 'HEAD' ? ask(front, asked, answer, count) : undefined;
  if (upstream === undefined) answer.writeHead(405).end();
  return new Promise((resolve) => {
    answer.once('close', () => {
      upstream?.destroy();
      const status = answer.headersSent ? answer.statusCode : 0;
      const tookMs = front.now() - atMs;
      front.onServed({ atMs, node, method, path, status, bytes, tookMs, whole: answer.writableFinished });
      resolve();
    });
  });
}

/** Asks the registry the same, and hands its answer on, past what counts it. */
function ask(front: Front, asked: IncomingMessage, answer: ServerResponse, count: Transform): ClientRequest {
  const { method, url: path = '', headers } = asked;
  const place = { host: '127.0.0.1', port: front.port, agent: false };
  const upstream = request({ ...place, method, path, headers }, (found) => {
    answer.writeHead(found.statusCode ?? 502, found.headers);
    const pace = front.paces.get(repositoryOf(path))?.();
    // An error on either side ends both.
    if (pace === undefined) pipeline(found, count, answer, () => undefined);
    else pipeline(found, pace, count, answer, () => undefined);
  });
  upstream.on('error', () => {
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(502).end();
  });
  return upstream.end();
}

/** `slow` of `/v2/slow/blobs/sha256:…`; empty when it is about none. */
function repositoryOf(path: string): string {
  return /^\/v2\/(.+)\/(?:blobs|manifests|tags)\//.exec(path)?.[1] ?? '';
}
