import type { LabError } from '../errors/errors.ts';
import type { Inputs } from '../components/inputs.ts';

/** A cache elsewhere that several hosts share, as everything but its driver sees it (docs/cache.md). */

/** Bytes of a file that never leave this host: they are sent as zeros. */
export interface BlankedBytes {
  readonly offset: number;
  readonly bytes: number;
}

/** A file of an entry, as it is sent. */
export interface SharedFile {
  /** Its name in the entry, without a folder. */
  readonly name: string;
  readonly isProgram: boolean;
  /** An absolute path, or the content itself. */
  readonly from: string | Buffer;
  readonly blanked?: readonly BlankedBytes[];
}

/** What tells an entry of the remote cache from all others. */
export interface RemoteKey {
  /** What it is called there: the kind, and the digest of the inputs. */
  readonly tag: string;
  readonly kind: string;
  readonly inputs: Inputs;
}

/** An entry that is sent. */
export interface EntryToSend extends RemoteKey {
  readonly files: readonly SharedFile[];
  /** What must not be in anything that is sent; who finds it sends nothing. */
  readonly secrets: readonly Buffer[];
}

/** An entry that is wanted. */
export interface EntryToFetch extends RemoteKey {
  /** Whether an entry of this kind may hold a file of this name. */
  readonly mayHold: (name: string) => boolean;
}

/** An entry that is there. */
export interface RemoteEntry {
  /** Bytes on the way, packed. */
  readonly packedBytes: number;
  /**
   * Fetches all of its files into a folder that is there and empty; what an earlier attempt has fetched is not fetched
   * again.
   *
   * @throws HostError LAB_REMOTE_CACHE, LAB_REMOTE_DAMAGED; InterruptedError; what writing a file throws.
   */
  fetchInto(folder: string, progress: (fetchedBytes: number) => void): Promise<void>;
}

/** What sending an entry has moved. */
export interface SentEntry {
  readonly sentBytes: number;
  /** Packed bytes that were there already. */
  readonly keptBytes: number;
}

/** A remote cache. Each call throws UsageError when its address or the credentials for it cannot be read. */
export interface RemoteCache {
  /** Its address for a person; it has no credentials. */
  readonly title: string;
  /** Why it is not asked again in this run; undefined while it is. */
  findFailure(): LabError | undefined;
  giveUp(failure: LabError): void;
  /** Does as if an entry were not there, in this run. */
  avoid(key: RemoteKey): void;
  /** Whether it has an entry; throws HostError LAB_REMOTE_CACHE. */
  has(key: RemoteKey, signal: AbortSignal): Promise<boolean>;
  /**
   * Finds an entry.
   *
   * @throws HostError LAB_REMOTE_CACHE, and LAB_REMOTE_DAMAGED when it is not the one that is wanted.
   */
  find(wanted: EntryToFetch, signal: AbortSignal): Promise<RemoteEntry | undefined>;
  /**
   * Sends an entry: its parts that are not there yet, and then its manifest, so that nobody sees half of one.
   *
   * @throws HostError LAB_REMOTE_CACHE; InternalError when a secret is in it.
   */
  send(entry: EntryToSend, signal: AbortSignal, progress: (bytes: number) => void): Promise<SentEntry>;
}
