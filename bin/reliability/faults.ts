import { writeFileSync } from 'node:fs';
import { libvirtPrefix } from '../../lab/model/host/machine.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import { UP } from './crash-plans.ts';
import { awaitEnd, explain, must, type Ended, type Engine, type Home } from './engine.ts';
import { findLeftovers } from './leftovers.ts';
import { mountLinklessDisk, mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** A fault, and how the lab answers it. */
export interface FaultResult {
  readonly fault: string;
  /** The exit code, and the error code or the verdict. */
  readonly answer: string;
  /** From the fault to the end of the command, in milliseconds. */
  readonly ms: number;
  /** What the next command took, in milliseconds, where one was given. */
  readonly nextMs?: number;
  /** What was wrong; empty: nothing. */
  readonly problems: readonly string[];
}

interface Fault {
  readonly name: string;
  /** What is done before, in whole commands. */
  readonly before: readonly (readonly string[])[];
  readonly words: readonly string[];
  /** The disk that state folder and cache have for themselves; left out: none. */
  readonly disk?: 'small' | 'linkless';
  /** The moment of the fault; left out: before the command. */
  readonly at?: string;
  /** Left out: the disk is the fault. */
  readonly strike?: (struck: Struck) => void;
  /** The exit code, and a text that must be in the answer. */
  readonly status: number;
  readonly says: string;
}

interface Struck {
  readonly engine: Engine;
  readonly home: Home;
  /** The disk of its state folder and its cache, where that is one of its own. */
  readonly disk: SmallDisk;
  /** Sends the command a signal. */
  readonly signal: (name: NodeJS.Signals) => void;
}

const DOWN = ['down', '--all'];
const RUN = ['run', 'oom-single-container'];
/** Like one of ours, but of another state folder. */
const FOREIGN = 'whodunit-00000000-default-node-1';

const TOOL = 'no space left on device';

const FAULTS: readonly Fault[] = [
  {
    name: 'Ctrl-C while Terraform makes machines',
    before: [DOWN],
    words: UP,
    at: 'apply: volume made',
    strike: ({ signal }) => signal('SIGINT'),
    status: 130,
    says: 'SIGINT',
  },
  {
    name: 'Ctrl-C while a cell is watched',
    before: [UP],
    words: RUN,
    at: 'cat /dev/kmsg',
    strike: ({ signal }) => signal('SIGINT'),
    status: 130,
    says: 'SIGINT',
  },
  {
    name: 'Ctrl-C twice',
    before: [DOWN],
    words: UP,
    at: 'apply: volume made',
    status: 130,
    says: 'SIGINT',
    strike: ({ signal }) => {
      signal('SIGINT');
      setTimeout(() => signal('SIGINT'), 100);
    },
  },
  {
    name: 'Terraform killed half-way',
    before: [DOWN],
    words: UP,
    at: 'apply: volume made',
    strike: ({ engine }) => {
      for (const { name, pid } of engine.host.calls) if (name === 'terraform') process.kill(pid, 'SIGKILL');
    },
    status: 3,
    says: 'LAB_COMMAND',
  },
  {
    name: 'QEMU killed in a cell',
    before: [UP],
    words: RUN,
    at: 'cat /dev/kmsg',
    status: 3,
    says: 'inconclusive',
    strike: ({ engine, home }) => {
      for (const [name, { process: qemu }] of engine.host.libvirt.domains)
        if (name.startsWith(libvirtPrefix(home.stateDir))) qemu?.kill('SIGKILL');
    },
  },
  {
    name: 'a record of a world that is not JSON',
    before: [UP],
    words: UP,
    status: 0,
    says: '"how": "built"',
    strike: ({ home }) => writeFileSync(statePaths(home.stateDir).world('default').record, '{"state":'),
  },
  {
    name: 'a Terraform state that is not JSON',
    before: [UP],
    words: DOWN,
    status: 0,
    says: 'through libvirt',
    strike: ({ home }) => writeFileSync(statePaths(home.stateDir).world('default').terraformState, '{'),
  },
  {
    name: 'libvirtd gone',
    before: [DOWN],
    words: UP,
    status: 3,
    says: 'LAB_LIBVIRT',
    strike: ({ engine }) => engine.host.libvirt.goAway(true),
  },
  // What a tool could not write it says itself.
  ...[
    { name: 'disk full while a program is built', words: ['bake'], at: 'build: half a program', says: TOOL },
    { name: 'disk full in a bake', words: ['bake'], at: 'bake: half a disk', says: 'LAB_DISK' },
    { name: 'disk full while machines are made', words: UP, at: 'apply: volume made', says: TOOL },
    { name: 'disk full while a snapshot is taken', words: UP, at: 'snapshot: half-way', says: TOOL },
    { name: 'disk full while evidence is saved', words: RUN, at: 'cat /dev/kmsg', says: 'LAB_DISK' },
  ].map(({ name, words, at, says }) => ({
    name,
    words,
    at,
    says,
    disk: 'small' as const,
    before: words === RUN ? [UP] : [],
    strike: ({ disk }: Struck) => disk.fill(),
    status: 3,
  })),
  {
    // Of the run before.
    name: 'disk full while a report is written',
    before: [],
    words: ['report'],
    disk: 'small',
    strike: ({ disk }: Struck) => disk.fill(),
    status: 3,
    says: 'LAB_DISK',
  },
  {
    name: 'the state folder becomes read-only in a cell',
    before: [UP],
    words: RUN,
    disk: 'small',
    at: 'cat /dev/kmsg',
    strike: ({ disk }) => disk.damage(),
    status: 3,
    says: 'LAB_DISK',
  },
  {
    name: 'a state folder where no file can have two names (exFAT)',
    before: [],
    words: UP,
    disk: 'linkless',
    status: 3,
    says: 'LAB_LOCK',
  },
];

/**
 * Strikes with each fault in turn, and looks at the answer and at what is left.
 *
 * @param folder where disks are mounted.
 */
export async function rehearseFaults(
  engine: Engine,
  folder: string,
  tell: (result: FaultResult) => Promise<void>,
): Promise<void> {
  const home = engine.openHome('faults');
  const linkless = mountLinklessDisk(folder);
  const disk = mountSmallDisk(folder);
  const onDisk = {
    small: engine.openHome('small-disk', disk.folder),
    linkless: engine.openHome('linkless-disk', linkless.folder),
  };
  engine.host.libvirt.defineForeign(FOREIGN);
  try {
    for (const fault of FAULTS) {
      const where = fault.disk === undefined ? home : onDisk[fault.disk];
      await tell(await rehearse(engine, where, disk, fault));
    }
    for (const state of [home, onDisk.small]) await engine.run(state, DOWN);
  } finally {
    linkless.unmount();
    disk.unmount();
  }
}

async function rehearse(engine: Engine, home: Home, disk: SmallDisk, fault: Fault): Promise<FaultResult> {
  for (const words of fault.before) await must(engine, home, words);
  let struckAt: number | undefined;
  let signal: Struck['signal'] = () => undefined;
  const strike = (): void => {
    struckAt = performance.now();
    fault.strike?.({ engine, home, disk, signal: (name) => signal(name) });
  };
  if (fault.at === undefined) strike();
  const child = engine.start(home, fault.words);
  signal = (name) => void child.kill(name);
  engine.host.onMoment((_number, what) => {
    if (struckAt === undefined && fault.at !== undefined && what.includes(fault.at)) strike();
  });
  const ended = await awaitEnd(child);
  engine.host.onMoment(undefined);
  const ms = performance.now() - (struckAt ?? NaN);
  engine.host.libvirt.goAway(false);
  disk.relieve();
  const problems = [
    ...judge(fault, ended),
    // A disk that is the fault itself has not been healed.
    ...explain('gc', await engine.run(home, ['gc']), [fault.strike === undefined ? fault.status : 0]),
    ...(engine.host.libvirt.domains.has(FOREIGN) ? [] : ['the domain of somebody else is gone']),
    ...(await findLeftovers(engine, home)),
  ];
  return { fault: fault.name, answer: `${ended.status} ${fault.says}`, ms, problems };
}

function judge({ status, says }: Fault, ended: Ended): string[] {
  if (ended.status === status && ended.output.includes(says)) return [];
  return [`ended with ${ended.status} and without "${says}": ${ended.output.slice(-600)}`];
}
