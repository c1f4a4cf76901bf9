import { join } from 'node:path';
import { EVIDENCE_FILES, type CellRecord, type EvidenceSource } from '../model/observation.ts';
import type { Guest, Host } from '../model/host.ts';
import type { Recording, WatchListener } from '../drivers/kubernetes.ts';
import { findText, writeTextAtomic } from '../drivers/files.ts';
import type { World } from './world.ts';

type LostNote = CellRecord['lost'][number];

/** Evidence being collected. */
export interface Collection {
  /** Saves what is kept in the guests' journals, ends all streams and says what could not be saved. */
  finish(): Promise<LostNote[]>;
}

/** Path of the collector in the guest. */
const WITNESS = '/usr/local/lib/whodunit/witness';
const WITNESS_START_MS = 30_000;
/** Written into the kernel log when the cell is over: a log that has it was read to its end. */
const KMSG_END = 'whodunit: the cell is over';
const KMSG_END_MS = 30_000;
/** Neither the collector nor the shell around it may become the victim; end of input ends both streams. */
const KMSG_STREAM =
  'echo -999 > /proc/self/oom_score_adj; cat /dev/kmsg & reader=$!; cat > /dev/null; kill "$reader"; wait "$reader"';

/**
 * Starts collecting in every node and from the API, and returns once the collectors have proven that they run.
 */
export async function startCollection(
  host: Host,
  world: World,
  cellDir: string,
  onPod: WatchListener,
): Promise<Collection> {
  const lost: LostNote[] = [];
  const file = (source: EvidenceSource, node?: string): string =>
    join(cellDir, EVIDENCE_FILES[source].perNode ? (node ?? '') : '', EVIDENCE_FILES[source].file);
  const since = new Map<string, string>();
  const streams: { stop(): Promise<void> }[] = [];
  for (const guest of world.guests) {
    since.set(guest.name, (await guest.must('date +%s.%N')).trim());
    streams.push(await guest.stream(KMSG_STREAM, file('kmsg', guest.name)));
    streams.push(await guest.stream(`exec ${WITNESS}`, file('witness', guest.name)));
  }
  const recordings: [EvidenceSource, Recording][] = [
    ['pods', await world.kubernetes.record('/api/v1/pods', file('pods'), onPod)],
    ['events', await world.kubernetes.record('/api/v1/events', file('events'))],
  ];
  for (const guest of world.guests) await waitForWitness(host, guest, file('witness', guest.name), lost);
  return {
    finish: async () => {
      for (const guest of world.guests) {
        for (const unit of ['containerd', 'kubelet'] as const) {
          await saveJournal(guest, unit, since.get(guest.name) ?? '0', file(unit, guest.name), lost);
        }
      }
      for (const guest of world.guests) await waitForKmsgEnd(host, guest, file('kmsg', guest.name), lost);
      await Promise.all(streams.map((stream) => stream.stop()));
      for (const [source, recording] of recordings) {
        for (const why of await recording.stop()) lost.push({ source, why });
      }
      return lost;
    },
  };
}

async function waitForWitness(host: Host, guest: Guest, file: string, lost: LostNote[]): Promise<void> {
  try {
    await host.waitFor(
      async () => {
        const text = findText(file) ?? '';
        return text.includes('\n')
          ? { done: true, value: true }
          : { done: false, seen: `nothing in ${file}` };
      },
      { name: `the collector on ${guest.name} to start`, timeoutMs: WITNESS_START_MS, intervalMs: 100 },
    );
  } catch (error) {
    if (host.signal.aborted) throw error;
    lost.push({ source: 'witness', node: guest.name, why: (error as Error).message });
  }
}

/** Without this, a kernel log that broke off early would look like a kernel that had nothing more to say. */
async function waitForKmsgEnd(host: Host, guest: Guest, file: string, lost: LostNote[]): Promise<void> {
  try {
    await guest.must(`echo '${KMSG_END}' > /dev/kmsg`);
    await host.waitFor(
      async () => {
        const lines = (findText(file) ?? '').split('\n');
        return lines.some((line) => line.endsWith(`;${KMSG_END}`))
          ? { done: true, value: true }
          : { done: false, seen: `${lines.length} lines in ${file}` };
      },
      {
        name: `the kernel log of ${guest.name} to be read to its end`,
        timeoutMs: KMSG_END_MS,
        intervalMs: 100,
      },
    );
  } catch (error) {
    lost.push({ source: 'kmsg', node: guest.name, why: (error as Error).message });
  }
}

async function saveJournal(
  guest: Guest,
  unit: 'containerd' | 'kubelet',
  since: string,
  file: string,
  lost: LostNote[],
): Promise<void> {
  const result = await guest.script(
    `journalctl --sync; journalctl -u ${unit} -o json --no-pager --since "@${since}" ` +
      '--output-fields=MESSAGE,PRIORITY,_PID,_COMM,__REALTIME_TIMESTAMP,__MONOTONIC_TIMESTAMP',
    { timeoutMs: 120_000 },
  );
  writeTextAtomic(file, result.stdout);
  if (result.status !== 0) lost.push({ source: unit, node: guest.name, why: result.stderr.trim() });
}
