import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { digestInputs, type Inputs } from '../../lab/model/components/inputs.ts';
import type { Host } from '../../lab/model/host/host.ts';
import type { RemoteKey, SharedFile } from '../../lab/model/host/remote-cache.ts';

/** What of an entry may leave this host. */
export interface Parcel {
  readonly files: readonly SharedFile[];
  /** What must not be in them. */
  readonly secrets: readonly Buffer[];
}

/** An entry that came from elsewhere. */
export interface Arrival {
  /** A folder with its files. */
  readonly pulled: string;
  /** Where the entry, a file or a folder, has to be. */
  readonly out: string;
  /** A folder around `out`, removed afterwards. */
  readonly work: string;
  /** Where the entry will be. */
  readonly path: string;
  readonly inputs: Inputs;
}

/** How entries of one kind are sent to other hosts, and what is done with one that comes (docs/cache.md). */
export interface Sharing {
  /** What the kind is called in the remote cache. */
  readonly name: 'component' | 'root-file-system' | 'kernel' | 'image';
  /** What may leave this host; a sentence when nothing may. */
  readonly pack: (host: Host, path: string) => Promise<Parcel | string>;
  /** Whether an entry may hold a file of this name. */
  readonly mayHold: (name: string) => boolean;
  /** Makes an entry of what came. */
  readonly arrive: (host: Host, arrival: Arrival) => Promise<void>;
}

/** What an entry is called in the remote cache. A change of its format gets another number. */
export function remoteKey({ name }: Sharing, inputs: Inputs): RemoteKey {
  return { tag: `v1-${name}-${digestInputs(inputs)}`, kind: name, inputs };
}

/** A file as it is on disk, under its own name. */
export function asItIs(path: string): SharedFile {
  return { name: basename(path), isProgram: (statSync(path).mode & 0o100) !== 0, from: path };
}
