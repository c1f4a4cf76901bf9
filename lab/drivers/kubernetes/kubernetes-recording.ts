import { Watch, type KubeConfig, type KubernetesObject } from '@kubernetes/client-node';
import type { Missed } from '../../model/evidence/cell-record.ts';
import type { Clock } from '../../model/host/host.ts';
import { openEvidenceFile } from '../files/evidence-file.ts';
import { apiErrorText } from './kubernetes-errors.ts';

type WatchedObject = KubernetesObject & Record<string, unknown>;

/** Called with each change as it is written. */
export type WatchListener = (type: string, object: WatchedObject) => void;

/** A recording of one collection. */
export interface Recording {
  /** Opens the watch again where it was. A node that was reset never closes its old connections. */
  reopen(): void;
  /** When the API last reported a change; before the first one, when the recording began. ISO 8601. */
  heardAt(): string;
  /** Ends the watch; resolves to its gaps (empty = complete). */
  stop(): Promise<Missed[]>;
}

/** What is recorded, and where. */
export interface RecordingInput {
  readonly config: KubeConfig;
  readonly clock: Clock;
  /** Path of the collection in the API. */
  readonly path: string;
  /** The JSONL file; its folder is made. */
  readonly localFile: string;
  readonly onObject: WatchListener | undefined;
}

/** Pause before a broken watch is opened again. The gap is recorded in any case. */
const REOPEN_MS = 500;

/**
 * Starts to write every change of a collection to a file. A watch that breaks is opened again, and the gap is
 * recorded.
 */
export async function startRecording(input: RecordingInput): Promise<Recording> {
  const { clock, path, onObject } = input;
  const { sink, end } = openEvidenceFile(input.localFile);
  const stopping = new AbortController();
  let current = new AbortController();
  const gaps: Missed[] = [];
  const now = (): string => new Date(clock.now()).toISOString();
  let resourceVersion: string | undefined;
  let heardAt = now();

  const onChange: WatchListener = (type, object) => {
    heardAt = now();
    if (type === 'ERROR') {
      gaps.push({ from: now(), why: `watch of ${path}: ${JSON.stringify(object).slice(0, 200)}` });
      resourceVersion = undefined;
      return;
    }
    resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
    if (type === 'BOOKMARK') return;
    sink.write(`${JSON.stringify({ at: now(), type, object })}\n`);
    onObject?.(type, object);
  };
  const keepFollowing = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      current = new AbortController();
      try {
        await watchOnce(input, resourceVersion, AbortSignal.any([stopping.signal, current.signal]), onChange);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === 1)
          gaps.push({ from: now(), why: `watch of ${path} was interrupted: ${apiErrorText(error)}` });
        if (!stopping.signal.aborted) await clock.sleep(REOPEN_MS);
      }
    }
  };
  const ended = keepFollowing();
  return {
    reopen: () => current.abort(),
    heardAt: () => heardAt,
    stop: async () => {
      stopping.abort();
      await ended;
      return [...gaps, ...(await end())];
    },
  };
}

/** Follows a collection until we end the watch, or the API does, as it does from time to time. */
async function watchOnce(
  { config, path }: RecordingInput,
  resourceVersion: string | undefined,
  stopping: AbortSignal,
  onChange: WatchListener,
): Promise<void> {
  const query = resourceVersion === undefined ? {} : { resourceVersion };
  let abort: () => void = () => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const onEnd = (error: unknown): void => {
        if (stopping.aborted || error === null || error === undefined) resolve();
        else reject(error instanceof Error ? error : new Error(apiErrorText(error)));
      };
      new Watch(config).watch(path, query, onChange, onEnd).then((opened) => {
        abort = () => opened.abort();
        if (stopping.aborted) abort();
        else stopping.addEventListener('abort', abort, { once: true });
      }, reject);
    });
  } finally {
    stopping.removeEventListener('abort', abort);
  }
}
