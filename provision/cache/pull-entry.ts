import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, HostError, LabError } from '../../lab/model/errors/errors.ts';
import { digestInputs, type Inputs } from '../../lab/model/components/inputs.ts';
import type { Host } from '../../lab/model/host/host.ts';
import type { RemoteCache, RemoteEntry } from '../../lab/model/host/remote-cache.ts';
import { formatBytes } from '../../lab/model/text/format-bytes.ts';
import { entryPath, type EntryKind, type SoughtEntry } from './entry-kind.ts';
import { removeFolder } from './remove-folder.ts';
import { remoteKey, type Sharing } from './sharing.ts';

/** Whether there is a remote cache to ask for entries of a kind. Throws UsageError when its address is none. */
export async function canPull<Entry>(host: Host, { sharing }: EntryKind<Entry>): Promise<boolean> {
  if (sharing === undefined) return false;
  const remote = await host.openRemote();
  return remote !== undefined && remote.findFailure() === undefined;
}

/**
 * Fetches an entry from the remote cache to `<work>/out`. A cache that does not answer is said once and not asked again;
 * an entry that is damaged, or for which there is no room, is said and not used.
 *
 * @returns false when there is none that can be used.
 * @throws UsageError when the address of the remote cache is none; InterruptedError.
 */
export async function pullInto<Entry>(
  host: Host,
  sought: SoughtEntry<Entry>,
  work: string,
): Promise<boolean> {
  const { sharing, title } = sought.kind;
  const remote = sharing === undefined ? undefined : await host.openRemote();
  if (sharing === undefined || remote === undefined) return false;
  const wanted = { ...remoteKey(sharing, sought.inputs), mayHold: sharing.mayHold };
  const withoutIt = (error: unknown): false => {
    makeDo(host, remote, title, error);
    remote.avoid(wanted);
    return false;
  };
  try {
    const found = await remote.find(wanted, host.signal);
    if (found === undefined) return false;
    return await host.progress.step(
      `${title} from ${remote.title}`,
      (update) => receive(host, sought, { sharing, found, work, update }).catch(withoutIt),
      { mark: (isThere) => (isThere ? '✓' : '-') },
    );
  } catch (error) {
    return withoutIt(error);
  }
}

interface Receiving {
  readonly sharing: Sharing;
  readonly found: RemoteEntry;
  readonly work: string;
  readonly update: (detail: string) => void;
}

async function receive<Entry>(
  host: Host,
  { kind, inputs, refuse }: SoughtEntry<Entry>,
  { sharing, found, work, update }: Receiving,
): Promise<true> {
  const [pulled, out] = [join(work, 'pulled'), join(work, 'out')];
  mkdirSync(pulled);
  let fetched = 0;
  await found.fetchInto(pulled, (bytes) => {
    fetched += bytes;
    update(`${formatBytes(fetched)} of ${formatBytes(found.packedBytes)}`);
  });
  await sharing.arrive(host, { pulled, out, work, path: entryPath(kind, inputs), inputs });
  const refused = isWhole(kind, out, inputs) ? refuse?.(out) : 'it is not whole';
  if (refused === undefined) return true;
  await removeFolder(host, out);
  throw new HostError('LAB_REMOTE_DAMAGED', `the ${kind.title} that came is not used`, { lastSeen: refused });
}

/** Whether an entry can be read, and says that it is made of what it has to be; a tar says so only in its place. */
function isWhole<Entry>(kind: EntryKind<Entry>, out: string, inputs: Inputs): boolean {
  const said = kind.findInputs(out);
  if (said !== undefined && digestInputs(said) !== digestInputs(inputs)) return false;
  return kind.find(out) !== undefined;
}

/** Says why an entry is not taken from the remote cache; throws what has nothing to do with it. */
function makeDo(host: Host, remote: RemoteCache, title: string, error: unknown): void {
  if (host.signal.aborted || !isAboutTheEntry(error)) throw error;
  const seen = (error instanceof LabError ? error.lastSeen : undefined) ?? errorText(error);
  if (error instanceof LabError && error.code === 'LAB_REMOTE_CACHE') {
    // Of several entries that were asked for at once, the first says so.
    if (remote.findFailure() !== undefined) return;
    remote.giveUp(error);
    host.progress.note(
      `the remote cache ${remote.title} is not used any more (${seen}); what is missing is made here`,
    );
  } else {
    host.progress.note(`warning: the ${title} of ${remote.title} is not used: ${seen}`);
  }
}

/** Whether it says that an entry cannot be taken. A bug, a wrong address and an interrupt are not such errors. */
function isAboutTheEntry(error: unknown): boolean {
  if (error instanceof LabError)
    return !['LAB_INTERNAL', 'LAB_USAGE', 'LAB_INTERRUPTED'].includes(error.code);
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
