import { join } from 'node:path';
import type { Inputs } from '../../lab/model/components/inputs.ts';
import type { Sharing } from './sharing.ts';

/** What tells entries of one kind from those of another: where they are and how one is read. */
export interface EntryKind<Entry> {
  /** What a person calls an entry: `image`, `component etcd 3.6.5`. */
  readonly title: string;
  /** The folder that entries are in; an absolute path. */
  readonly folder: string;
  /** Whether a name in that folder is that of an entry of this kind. */
  readonly holds: (name: string) => boolean;
  /** Name of the entry that is made of these inputs. */
  readonly nameOf: (inputs: Inputs) => string;
  /** Reads an entry; undefined when there is none, or not all of it. */
  readonly find: (path: string) => Entry | undefined;
  /** Reads what an entry was made of; undefined when that is not written down, or cannot be read. */
  readonly findInputs: (path: string) => Inputs | undefined;
  /** The file whose time is that of the last use: `whodunit cache prune` removes the least recently used first. */
  readonly usedFile: (path: string) => string;
  /** How an entry is sent to other hosts; absent where it is not. */
  readonly sharing?: Sharing;
}

/** An entry as it is looked for. */
export interface SoughtEntry<Entry> {
  readonly kind: EntryKind<Entry>;
  readonly inputs: Inputs;
  /** Why an entry that came from elsewhere is not taken; undefined when it is. */
  readonly refuse?: (path: string) => string | undefined;
}

/** Where the entry of these inputs is, or will be. */
export function entryPath<Entry>(kind: EntryKind<Entry>, inputs: Inputs): string {
  return join(kind.folder, kind.nameOf(inputs));
}
