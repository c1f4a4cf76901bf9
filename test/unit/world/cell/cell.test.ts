import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEvidenceFile } from '../../../../lab/drivers/files/evidence-file.ts';
import { createWaitFor, systemClock } from '../../../../lab/drivers/clock.ts';
import { runCommand } from '../../../../lab/drivers/programs/command.ts';
import type { WatchListener } from '../../../../lab/drivers/kubernetes/kubernetes.ts';
import { readEvidence } from '../../../../lab/evidence/read-evidence.ts';
import { openCellFolder } from '../../../../lab/drivers/files/cell-folder.ts';
import { judgeCell } from '../../../../lab/judge/verdict/judge-cell.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import type { EvidenceSource } from '../../../../lab/model/evidence/evidence-files.ts';
import type { Clock, GuestStream, Host } from '../../../../lab/model/host/host.ts';
import type { Sampler } from '../../../../lab/model/measures/measure.ts';
import type { CellRecord } from '../../../../lab/model/evidence/observation.ts';
import { openLeases } from '../../../../lab/model/host/lease.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { scenarioSchema } from '../../../../lab/model/declared/scenario.ts';
import { runCell, type CellRun, type PreparedCell } from '../../../../lab/world/cell/cell.ts';
import { JOURNAL_SOURCES, KMSG_END } from '../../../../lab/world/cell/journals.ts';
import { buildGeneratedImage } from '../../../../provision/registry/generated-image.ts';
import type { Lab } from '../../../../lab/world/lab.ts';
import type { PristineWorld } from '../../../../lab/world/world.ts';
import {
  createFakeGuest,
  printFirstRuns,
  printInStream,
  type Answer,
  type FakeGuest,
} from '../../../fake-guest.ts';
import { HAND_WRITTEN } from '../../../fixtures/evidence/hand-written.ts';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { createQuietHost } from '../../../quiet-host.ts';
import { PROJECT } from '../../project-files.ts';

/** The real clock, but nobody sleeps for long. */
const HASTY: Clock = {
  now: () => systemClock.now(),
  elapsed: () => systemClock.elapsed(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal),
};

let dir: string;
let interrupt: AbortController;
let recorded: Map<string, WatchListener | undefined>;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'whodunit-cell-'));
  interrupt = new AbortController();
  recorded = new Map();
});
afterEach(() => rmSync(dir, { recursive: true }));

/** What the script of the journals prints, whose first step fails for the reason given. */
const printJournals = (why = ''): string =>
  [
    `\n== sync ${why === '' ? 0 : 1} ${why}\n`,
    ...JOURNAL_SOURCES.map((source) => `{"MESSAGE":"said"}\n\n== ${source} 0 \n`),
    '\n== end 0 \n',
  ].join('');

/** A node whose collectors run; `journal` is what it says when it is asked for a journal or the runtime's records. */
function createNode(
  journal: Answer = (script) => (script.includes('journalctl') ? printJournals() : '{"MESSAGE":"said"}\n'),
  sample: (program: string) => string = printFirstRuns,
): FakeGuest {
  const answer: Answer = (script) => {
    if (script.startsWith('date')) return '1753000000.0\n';
    if (script.includes(KMSG_END)) printInStream(node, '/dev/kmsg', `6,9,9,-;${KMSG_END}\n`);
    if (script.includes('journalctl') || script.includes('crictl')) return journal(script);
    if (script.includes('witness')) return '{"kind":"start"}\n';
    return sample(script);
  };
  const node = createFakeGuest('node-1', answer, interrupt.signal);
  return node;
}

const scenario = scenarioSchema.parse({
  formatVersion: 1,
  name: 'sleeps',
  title: 'it sleeps',
  victim: { selector: 'app=sleeper', container: 'sleeper' },
  expect: { killer: 'none' },
  makeItFail: 'it cannot',
});

/** When the API told something last. */
const HEARD_AT = '2026-11-25T12:54:32.750Z';

/** What a cell has beside its pods. */
type Extras = Partial<Pick<PreparedCell, 'registry'>> & {
  readonly samplers?: readonly Sampler[];
  /** What the API answers at the end; default: that it is well. */
  readonly readyz?: () => Promise<{ status: number; text: string }>;
};

function run(node: FakeGuest, created: () => unknown, extras: Extras = {}): Promise<CellRun> {
  const { registry, samplers = [], readyz = () => Promise.resolve({ status: 200, text: 'ok' }) } = extras;
  const host: Host = createQuietHost(dir, {
    run: runCommand,
    projectDir: PROJECT,
    clock: HASTY,
    signal: interrupt.signal,
    waitFor: createWaitFor(HASTY, interrupt.signal),
  });
  const kubernetes = {
    objects: { create: async () => created() },
    get: readyz,
    record: (path: string, _file: string, listener?: WatchListener) => {
      recorded.set(path, listener);
      return Promise.resolve({
        reopen: () => undefined,
        heardAt: () => HEARD_AT,
        stop: async () => (recorded.delete(path), []),
      });
    },
  };
  const world = { record: { variant: DEFAULT_VARIANT }, guests: [node], kubernetes, phase: 'pristine' };
  const cell: Pick<PreparedCell, 'address' | 'variant' | 'outcome' | 'loaded' | 'archives' | 'registry'> = {
    address: 'default/sleeps',
    variant: DEFAULT_VARIANT,
    outcome: scenario.expect,
    loaded: {
      scenario,
      parameters: {},
      folder: 'scenarios/sleeps',
      samplers,
      manifests: [{ kind: 'Pod' }],
    } as never,
    archives: [],
    registry,
  };
  const cellDir = join(dir, 'cell');
  return runCell(
    { host } as Lab,
    world as unknown as PristineWorld,
    cell as PreparedCell,
    cellDir,
    () => undefined,
  );
}

const savedRecord = (): CellRecord =>
  JSON.parse(readFileSync(join(dir, 'cell', 'cell.json'), 'utf8')) as CellRecord;

describe('the evidence of a cell', () => {
  it('is saved whole when the cell is interrupted', async () => {
    const node = createNode();
    const { record } = await run(node, () => interrupt.abort());
    expect(record.interrupted).toContain('interrupted');
    expect(record.lost).toEqual([]);
    expect(savedRecord()).toEqual(record);
    const saved = (file: string): string => readFileSync(join(dir, 'cell', 'node-1', file), 'utf8');
    for (const file of ['containerd.jsonl', 'kubelet.jsonl', 'system.jsonl', 'cri.jsonl'])
      expect(saved(file)).toContain('said');
    expect(saved('kmsg.log')).toContain(KMSG_END);
    expect([node.streams.size, recorded.size]).toEqual([0, 0]);
  });

  it('has what samplers print from before the workload is there, and which they were', async () => {
    const sampler = { name: 'counts', script: 'echo "pids 3"', everySeconds: 1, timeoutSeconds: 5 };
    const node = createNode();
    let before: string[] = [];
    const created = (): unknown =>
      (before = [...node.streams.keys()].filter((command) => command.includes('pids 3')));
    const running = run(node, () => (created(), interrupt.abort()), {
      samplers: [
        { ...sampler, on: 'all-nodes' },
        { ...sampler, name: 'other', script: 'echo "zombies 1"', on: 'control-plane' },
      ],
    });
    const { record } = await running;
    expect(before).toHaveLength(1);
    expect(before[0]).toContain('sample other 1000 5000');
    expect(node.streams.size).toBe(0);
    expect(record.samplers?.map(({ name, script }) => [name, script])).toEqual([
      ['counts', 'echo "pids 3"'],
      ['other', 'echo "zombies 1"'],
    ]);
    expect(readFileSync(join(dir, 'cell', 'node-1', 'samples.jsonl'), 'utf8')).toContain('"sampler":"other"');
    expect(record.lost).toEqual([]);
  });

  it('begins before the workload is there, with the first run of each sampler', async () => {
    const sampler = { script: 'echo "pids 3"', everySeconds: 1, timeoutSeconds: 5, on: 'all-nodes' } as const;
    let last = '';
    const node = createNode(undefined, (program) => {
      const [first = '', second = ''] = printFirstRuns(program).split(/(?<=\n)/);
      setTimeout(() => printInStream(node, 'sample slow', (last = second)), 300);
      return first;
    });
    let before = '';
    const created = (): void => ((before = last), interrupt.abort());
    const samplers = [
      { ...sampler, name: 'quick' },
      { ...sampler, name: 'slow' },
    ];
    const { record } = await run(node, created, { samplers });
    expect(before).toContain('"sampler":"slow"');
    expect(record.lost).toEqual([]);
  });

  it('is given up a minute after an interrupt, and what is lost is told', async () => {
    const hang = new Promise<string>(() => undefined);
    const node = createNode(() => hang);
    const { record } = await run(node, () => interrupt.abort());
    expect(record.interrupted).toBeDefined();
    const sources = ['containerd', 'kubelet', 'system', 'cri', 'kmsg'];
    expect(record.lost.map(({ source }) => source)).toEqual(sources);
    expect(savedRecord()).toEqual(record);
    expect([node.streams.size, recorded.size]).toEqual([0, 0]);
  });

  it('of journals that could not be brought up to date is told to be incomplete', async () => {
    const node = createNode(() => printJournals('Failed to connect to the journal'));
    const { record } = await run(node, () => interrupt.abort());
    const why = 'journalctl --sync: Failed to connect to the journal';
    expect(record.lost).toEqual(
      ['containerd', 'kubelet', 'system'].map((source) => ({ source, node: 'node-1', why })),
    );
    expect(readFileSync(join(dir, 'cell', 'node-1', 'kubelet.jsonl'), 'utf8')).toContain('said');
  });

  it('that nobody could collect makes the cell inconclusive, and leaves nothing running', async () => {
    const lost = (): never => {
      throw new Error('the SSH connection to node-1 was lost');
    };
    const { record } = await run(createFakeGuest('node-1', lost), () => undefined);
    expect(record.broken).toContain('was lost');
    expect(recorded.size).toBe(0);
    const judged = judgeCell(record, readEvidence(openCellFolder(join(dir, 'cell')), record));
    expect(judged).toMatchObject({ verdict: 'inconclusive', note: record.broken });
  });
});

describe('an API that is silent at the end', () => {
  it.each([
    ['because it hangs', () => Promise.reject(new Error('no answer within 10 s')), 'no answer within 10 s'],
    [
      'because etcd does',
      () => Promise.resolve({ status: 500, text: '[-]etcd failed' }),
      'HTTP 500: [-]etcd failed',
    ],
  ])('%s may not have told what happened since it was heard last', async (_, readyz, why) => {
    const { record } = await run(createNode(), () => Promise.reject(new Error('refused')), { readyz });
    const lost = { from: HEARD_AT, why: `the API was not ready at the end: ${why}` };
    expect(record.lost).toEqual(['pods', 'events', 'nodes', 'leases'].map((source) => ({ source, ...lost })));
  });
});

describe('a cell whose evidence no disk takes', () => {
  it('is inconclusive, with the reason', async () => {
    const node = createNode();
    // The disk takes what is printed first, and is full when the rest comes.
    const stream = async (script: string, file: string): Promise<GuestStream> => {
      const first = await node.stream(script, file);
      const { sink, end } = openEvidenceFile('/dev/full');
      return { stop: async (limit) => (await first.stop(limit), sink.write('the rest'), end()) };
    };
    const { record } = await run({ ...node, stream }, () => interrupt.abort());
    const why = 'ENOSPC: no space left on device, write';
    const lostOf = (source: EvidenceSource): unknown => ({ source, node: 'node-1', why });
    expect(record.lost).toEqual(expect.arrayContaining([lostOf('witness'), lostOf('kmsg'), lostOf('tasks')]));
    const { capture } = HAND_WRITTEN.find(({ name }) => name === 'deadline')!;
    const seen = capture();
    const judged = judgeCapture({ ...seen, record: { ...seen.record, lost: record.lost } });
    expect(judged.verdict).toBe('inconclusive');
    expect(judged.note).toContain(`node-1/kmsg.log: ${why}`);
  });
});

describe('a cell whose nodes pull', () => {
  it('is inconclusive when the registry ends, with what it said, and leaves nothing of it', async () => {
    const image = '127.0.0.1:5000/slow:1';
    const content = await buildGeneratedImage(image, 1, { name: 'sleeper', content: Buffer.alloc(1) });
    const program = join(import.meta.dirname, 'registry-that-dies.mjs');
    const node = createNode();
    const { record } = await run(node, () => undefined, {
      registry: { program, images: [{ image, sizeMiB: 1, content }] },
    });
    expect(record.broken).toContain('the registry of the cell ended');
    expect(record.broken).toContain('no space left on device');
    const judged = judgeCell(record, readEvidence(openCellFolder(join(dir, 'cell')), record));
    expect(judged).toMatchObject({ verdict: 'inconclusive', note: record.broken });
    const { leases, registries } = statePaths(join(dir, 'state'));
    expect(readdirSync(registries)).toEqual([]);
    expect(openLeases(readFileSync(leases, 'utf8').split('\n'))).toEqual([]);
    expect([node.streams.size, recorded.size]).toEqual([0, 0]);
  });
});
