import { join } from 'node:path';
import { findText, writeTextAtomic } from '../../drivers/files/files.ts';
import { namesOf } from '../../model/text/names-of.ts';
import type { SourceOf } from '../../model/evidence/evidence-files.ts';
import { evidencePath, type CellRecord } from '../../model/evidence/observation.ts';
import type { Guest, GuestStream, Host, Probe, WaitFor } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { Sampler } from '../../model/measures/measure.ts';
import { WITNESS } from '../witness.ts';
import { JOURNAL_SOURCES, KMSG_END, parseJournalAnswers, renderJournalScript } from './journals.ts';

/** The sources that are collected in a node. All others are recorded on the host (`collect.ts`). */
export type NodeSource = SourceOf<'stream' | 'journal' | 'question'>;

/** What could not be saved, and why. */
export type LostNote = CellRecord['lost'][number];

/** Evidence being collected in one node, over all its boots. */
export interface NodeCollection {
  /** After a reboot: the streams go on in a second part, over the new connection. */
  resume(guest: Guest): Promise<void>;
  /**
   * Saves the journals and ends the streams, until `limit` fires. Writes down what could not be saved; does not throw.
   */
  finish(limit: AbortSignal): Promise<void>;
}

const LOOK_MS = 100;

/** The OOM killer must choose neither a collector nor the shell around it. End of input ends both. */
function streamOf(program: string): string {
  return (
    `echo -999 > /proc/self/oom_score_adj; ${program} & reader=$!; ` +
    'cat > /dev/null; kill "$reader"; wait "$reader"'
  );
}

/** What the streams of a cell depend on. */
type StreamNeeds = Pick<NodeSources, 'sampling' | 'ends'>;

/** The scripts whose output is streamed; undefined for what this cell does not have. They are started in this order. */
const STREAMS: Readonly<Record<SourceOf<'stream'>, (needs: StreamNeeds) => string | undefined>> = {
  kmsg: () => streamOf('cat /dev/kmsg'),
  witness: ({ ends }) =>
    ends.length === 0 ? `exec ${WITNESS}` : `exec ${WITNESS} ends ${ends.map(shellWord).join(' ')}`,
  tasks: () => streamOf('ctr --namespace k8s.io events'),
  samples: ({ sampling }) => sampling && streamOf(`(\n${sampling.program})`),
};

function listStreams(needs: StreamNeeds): [source: SourceOf<'stream'>, script: string][] {
  return namesOf(STREAMS).flatMap((source): [SourceOf<'stream'>, string][] => {
    const script = STREAMS[source](needs);
    return script === undefined ? [] : [[source, script]];
  });
}

/**
 * containerd has a folder here for each container of its CRI, by its id, from before it lists the container until it lists it
 * no more; 1.x and 2.x alike (`getContainerRootDir` of its CRI server).
 */
export const CRI_CONTAINERS = '/var/lib/containerd/io.containerd.grpc.v1.cri/containers';

/**
 * The runtime's record of every container that it still has, one a line; without the part that may hold secrets.
 *
 * crictl takes a second to start in an emulated node, so the containers are listed from their folders, and it starts once.
 * It gives up at the first container that it does not know: one was made or removed just now. Then it lists them itself.
 * Where it gives up again each is asked for by itself, and one that the runtime does not list any more is not a failure.
 */
export const CRI_RECORDS = `
cri() { crictl --runtime-endpoint unix:///run/containerd/containerd.sock "$@"; }
inspect() { cri inspect --output go-template --template '{{json .status}}' "$@"; }
ids=$(ls ${CRI_CONTAINERS} 2> /dev/null)
if [ -n "$ids" ] && records=$(inspect $ids 2> /dev/null); then printf '%s\\n' "$records"; exit 0; fi
ids=$(cri ps --all --quiet) || exit
[ -n "$ids" ] || exit 0
if records=$(inspect $ids 2> /dev/null); then printf '%s\\n' "$records"; exit 0; fi
failed=0
for id in $ids; do
  if record=$(inspect "$id" 2>&1); then printf '%s\\n' "$record"; continue; fi
  left=$(cri ps --all --quiet --id "$id") && [ -z "$left" ] || { printf '%s\\n' "$record" >&2; failed=1; }
done
exit $failed
`;

/** The scripts whose output is saved when the cell is over. */
const QUESTIONS: Readonly<Record<SourceOf<'question'>, string>> = {
  cri: CRI_RECORDS,
};

/** The samplers of one node, of which there is at least one. */
interface NodeSampling {
  /** Runs them all until it gets SIGTERM. */
  readonly program: string;
  readonly samplers: readonly Pick<Sampler, 'name' | 'timeoutSeconds'>[];
}

/** What is collected in one node, and where to. */
export interface NodeSources {
  readonly cellDir: string;
  /** Undefined when it has no samplers. */
  readonly sampling: NodeSampling | undefined;
  /** Names of processes in no pod whose end is recorded, globs allowed: of all others there are thousands. */
  readonly ends: readonly string[];
  /** Hears what could not be saved. */
  readonly lost: LostNote[];
}

/** A stream that runs. */
interface Stream {
  readonly source: NodeSource;
  readonly stream: GuestStream;
}

/** Starts the streams of one node and returns once the witness runs, and each sampler has looked once. */
export async function collectNode(
  host: Host,
  first: Guest,
  { cellDir, sampling, ends, lost }: NodeSources,
): Promise<NodeCollection> {
  let guest = first;
  let part = 0;
  let streams: Stream[] = [];
  const node = first.name;
  const path = (source: NodeSource): string => join(cellDir, evidencePath(source, node, part));
  const since = (await first.must('date +%s.%N')).trim();
  const open = async (): Promise<void> => {
    part += 1;
    streams = [];
    for (const [source, script] of listStreams({ sampling, ends }))
      streams.push({ source, stream: await guest.stream(script, path(source)) });
    const witness = { source: 'witness', file: path('witness'), lost, isReady: hasLine } as const;
    await waitForStart(host, guest, { ...witness, timeoutMs: TIME_LIMITS.cell.recordersStart.ms });
    if (sampling !== undefined) {
      const samples = { source: 'samples', file: path('samples'), lost } as const;
      await waitForStart(host, guest, { ...samples, ...firstLook(sampling) });
    }
  };
  const stopStreams = async (limit: AbortSignal): Promise<void> => {
    const stopped = streams.map(async ({ source, stream }) => {
      for (const missed of await stream.stop(limit)) lost.push({ source, node, ...missed });
    });
    await Promise.all(stopped);
  };
  await open();
  return {
    resume: async (again) => {
      // Their connection is gone: this only closes the files.
      await stopStreams(host.signal);
      guest = again;
      await open();
    },
    finish: async (limit) => {
      const late = guest.under(limit);
      const file = (source: NodeSource): string => join(cellDir, evidencePath(source, node));
      const save = async (source: NodeSource, script: string): Promise<void> => {
        const why = await saveOutput(late, script, file(source));
        if (why !== undefined) lost.push({ source, node, why });
      };
      const [end] = await Promise.all([
        saveJournals(late, since, { file, lost }),
        ...namesOf(QUESTIONS).map((source) => save(source, QUESTIONS[source])),
      ]);
      if (end === undefined) await waitForKmsgEnd(host.waitFor, late, { file: path('kmsg'), limit, lost });
      else lost.push({ source: 'kmsg', node, why: end });
      await stopStreams(limit);
    },
  };
}

/** A stream of the lab's own begins with a line that says so. */
function hasLine(text: string): boolean {
  return text.includes('\n');
}

/**
 * When the samplers of a node have begun. The first run of each counts, because it may begin to record what the next ones
 * read (`cgroup-makers` begins a trace of the kernel), and what happens before is not in it.
 */
function firstLook({ samplers }: NodeSampling): Pick<Awaited, 'isReady' | 'timeoutMs'> {
  const longest = Math.max(...samplers.map(({ timeoutSeconds }) => timeoutSeconds));
  return {
    isReady: (text) => samplers.every(({ name }) => text.includes(`{"kind":"run","sampler":"${name}",`)),
    timeoutMs: TIME_LIMITS.cell.recordersStart.ms + longest * 1000,
  };
}

/** A stream that has to begin before the workload is there. */
interface Awaited {
  readonly source: SourceOf<'stream'>;
  readonly file: string;
  readonly lost: LostNote[];
  /** Whether what it has written so far shows that it runs. */
  readonly isReady: (text: string) => boolean;
  readonly timeoutMs: number;
}

async function waitForStart(
  host: Host,
  guest: Guest,
  { source, file, lost, isReady, timeoutMs }: Awaited,
): Promise<void> {
  try {
    const started: Probe = {
      title: `the collector on ${guest.name} to start`,
      look: async () => {
        const text = findText(file) ?? '';
        if (isReady(text)) return { done: true, value: true };
        return { done: false, seen: text === '' ? `nothing in ${file}` : `too little in ${file}` };
      },
    };
    await host.waitFor(started, { timeoutMs, intervalMs: LOOK_MS });
  } catch (error) {
    if (host.signal.aborted) throw error;
    lost.push({ source, node: guest.name, why: (error as Error).message });
  }
}

/** Without this, a kernel log that broke off early would look like a kernel that had nothing more to say. */
async function waitForKmsgEnd(
  waitFor: WaitFor,
  guest: Guest,
  { file, limit, lost }: { file: string; limit: AbortSignal; lost: LostNote[] },
): Promise<void> {
  try {
    const ended: Probe = {
      title: `the kernel log of ${guest.name} to be read to its end`,
      look: async () => {
        const lines = (findText(file) ?? '').split('\n');
        return lines.some((line) => line.endsWith(`;${KMSG_END}`))
          ? { done: true, value: true }
          : { done: false, seen: `${lines.length} lines in ${file}` };
      },
    };
    await waitFor(ended, {
      timeoutMs: TIME_LIMITS.cell.kernelLogEnds.ms,
      intervalMs: LOOK_MS,
      signal: limit,
    });
  } catch (error) {
    lost.push({ source: 'kmsg', node: guest.name, why: (error as Error).message });
  }
}

/**
 * Saves the journals of a node, as far as they could be had, and writes the end of the cell into its kernel log.
 *
 * @returns why that could not be written; undefined when it was.
 */
async function saveJournals(
  guest: Guest,
  since: string,
  { file, lost }: { file: (source: NodeSource) => string; lost: LostNote[] },
): Promise<string | undefined> {
  const { output, why = 'the script ended before' } = await ask(guest, renderJournalScript(since));
  const answers = parseJournalAnswers(output ?? '');
  const node = guest.name;
  const stale = answers.get('sync')?.why;
  for (const source of JOURNAL_SOURCES) {
    const answer = answers.get(source) ?? { text: '', why };
    if (output !== undefined) writeTextAtomic(file(source), answer.text);
    if (stale !== undefined) lost.push({ source, node, why: `journalctl --sync: ${stale}` });
    if (answer.why !== undefined) lost.push({ source, node, why: answer.why });
  }
  return (answers.get('end') ?? { why }).why;
}

/** Saves what a script prints, also when it fails halfway; returns why not all of it could be had. */
async function saveOutput(guest: Guest, script: string, file: string): Promise<string | undefined> {
  const { output, why } = await ask(guest, script);
  if (output !== undefined) writeTextAtomic(file, output);
  return why;
}

/** What a script prints; undefined when the node is gone: what was streamed from it stays. */
async function ask(guest: Guest, script: string): Promise<{ output?: string; why?: string }> {
  try {
    const { stdout, status, stderr } = await guest.script(script, {
      timeoutMs: TIME_LIMITS.cell.question.ms,
    });
    return { output: stdout, ...(status === 0 ? {} : { why: stderr.trim() }) };
  } catch (error) {
    // Not the script, which follows.
    return { why: (error as Error).message.split('\n').slice(0, 2).join(' ').replace(/\s+/g, ' ') };
  }
}
