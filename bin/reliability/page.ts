import { format } from 'prettier';
import { escapeProse } from '../../lab/report/text/markdown.ts';
import { groupBy } from '../../lab/model/text/group-by.ts';
import { sum } from '../../lab/model/text/sum.ts';
import { median } from '../bench/numbers.ts';
import type { FaultResult } from './faults.ts';
import type { Crash } from './killer.ts';
import type { LongRun } from './long-run.ts';

/** When and where something was measured. */
export interface MeasuredOn {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly host: Readonly<Record<string, string | number>>;
}

/** `docs/measured/reliability.json`: what the command saw last, part by part. */
export interface ReliabilityRecord {
  crashes?: MeasuredOn & { readonly seed: number; readonly crashes: readonly Crash[] };
  interrupts?: MeasuredOn & { readonly seed: number; readonly crashes: readonly Crash[] };
  /** On the stand-in host. */
  faults?: MeasuredOn & { readonly faults: readonly FaultResult[] };
  long?: MeasuredOn & LongRun;
  /** On a real machine. */
  deaths?: MeasuredOn & LongRun;
  machines?: MeasuredOn & { readonly faults: readonly FaultResult[] };
  poisons?: MeasuredOn & { readonly faults: readonly FaultResult[] };
}

/** Faults that tests of the suite inject, each with the test that shows the answer. */
const TESTED: readonly (readonly [fault: string, answer: string, test: string])[] = [
  [
    'disk full while evidence is written',
    'the cell says what it lacks',
    'test/unit/drivers/files/evidence-file.test.ts',
  ],
  ['disk full while a result is written', '`LAB_DISK`', 'test/unit/drivers/files/files.test.ts'],
  ['disk full before the start', '`LAB_LOCK`', 'test/cli/components/lock.test.ts'],
  ['a download cut off, or stalled', 'the next source', 'test/unit/drivers/network/download.test.ts'],
  [
    'a download whose digest is another one',
    'an error, and no other source',
    'test/unit/provision/components/release.test.ts',
  ],
  ['the host has no memory left', 'the verdict is void', 'test/unit/judge/verdict/pressure.test.ts'],
  ['the clock of the host is set', 'the verdict is void', 'test/unit/judge/verdict/pressure.test.ts'],
  ['a state folder that cannot be written', '`LAB_LEASES`', 'test/unit/drivers/claims/leases.test.ts'],
  ['virsh that never answers', '`LAB_HOST` after its time limit', 'test/cli/doctor.test.ts'],
  ['SSH lost in a script', '`LAB_SSH_LOST`', 'test/unit/drivers/ssh/ssh.test.ts'],
  [
    'Ctrl-C, and a node that saves no evidence',
    'given up after a minute',
    'test/unit/world/cell/cell.test.ts',
  ],
  ['a lease cut short by a crash', 'only that line is lost', 'test/unit/drivers/claims/leases.test.ts'],
  ['files of somebody else in a lease', '`LAB_NOT_OURS`, exit code 3', 'test/cli/gc.test.ts'],
  ['a clone deleted with machines up', '`gc` of any clone removes them', 'test/cli/gc.test.ts'],
];

/** Renders `docs/measured/reliability.md`, formatted. */
export async function renderReliability(record: ReliabilityRecord): Promise<string> {
  const text = [
    INTRODUCTION,
    '## Killed labs',
    ...renderCrashes(record.crashes),
    '## Interrupted labs',
    INTERRUPTS,
    ...renderInterrupts(record.interrupts),
    '## Faults',
    ...renderFaults(record.faults),
    'All the time there is a domain of somebody else with a name like those of the lab. No command may touch it.',
    'Tests inject these faults, and every change runs them:',
    table(
      ['fault', 'answer', 'shown by'],
      TESTED.map(([fault, answer, test]) => [fault, answer, `\`${test}\``]),
    ),
    '## Long runs',
    LONG,
    ...renderLong(record.long),
    'The same for the staged deaths (`run set=deaths`) on a real machine, after every five of them:',
    ...renderLong(record.deaths),
    '## Real machines',
    MACHINES,
    ...renderMachines(record.machines),
    '## Poisoned worlds',
    POISONS,
    ...renderPoisons(record.poisons),
    '',
  ].join('\n\n');
  return format(text, { parser: 'markdown', printWidth: 120, proseWrap: 'preserve' });
}

const INTRODUCTION = `# How whodunit dies, and what it leaves behind

\`npm run reliability\` writes this page. It kills labs with SIGKILL, interrupts them and injects faults. Then it runs the next
command, and checks everything that a lab makes. \`npm run reliability crashes -- --count 50 --seed 7\` does a part of it, at
other moments. Tests of every change (\`test/cli/crashes.test.ts\`) stage chosen moments.

**What is real here, and what is not.** On the stand-in host the command line is the real one, in its own process. The state
folder, its files, locks and leases, the processes, ports, SSH and HTTPS are real too. No machine is booted: virsh, Terraform,
Go, mmdebstrap, QEMU and the bake are stand-ins (\`test/stand-in/\`). Each stand-in is a real process, with real files, ports and
a lock, and takes its time. Like a daemon or a compiler it goes on when its lab dies. A node of a stand-in proves no death, so
every cell of these runs has to end as \`inconclusive\`.

After a kill the next command runs (\`up\`, \`run\`, \`run --resume\`, \`repro\`, \`down\`, \`gc\` or \`bake\`), then \`gc\`. **Left
behind** counts domains, pools and their disks, processes, leases, locks, half-made files and cache entries, temporary files and
mounts that belong to no world. Every run folder must open, and a saved world must be restored and not rebuilt.`;

const INTERRUPTS = `The same commands, ended by Ctrl-C. After the first Ctrl-C the command undoes what it had begun. A second one, a
tenth of a second later, ends it immediately. Either way its exit code has to be 130.`;

const LONG = `One process runs many cells on the stand-in host, each in a restored world, with its own evidence and judgement. This is
the process after each tenth of them:`;

const MACHINES = `Here nothing is a stand-in: a machine, its cluster, libvirt and the command line are real. Each fault comes when the pod of a
cell was created, when a command starts, or when it says that a step begins. Then the command has to end by itself, the next
command has to succeed, and after \`gc\` nothing may be left behind. A cell may pass only if the fault cannot have reached its
evidence.`;

const POISONS = `Each harm is done to a real world right after its snapshot was loaded, as if it had been saved so. Then the world goes
through the health gate, like every restored world. What the gate lets through is checked again in other ways.`;

function renderLong(measured: ReliabilityRecord['long']): string[] {
  if (measured === undefined) return ['Not measured yet.'];
  const rows = measured.standings.map(({ cells, residentMiB, handles, temporary }) => [
    String(cells),
    `${residentMiB} MiB`,
    String(handles),
    String(temporary),
  ]);
  return [
    `In all ${seconds(measured.ms)}; left behind: ${left([measured])}. ${describe(measured)}`,
    table(['cells', 'memory', 'open files', 'temporary files'], rows),
  ];
}

function renderMachines(measured: ReliabilityRecord['machines']): string[] {
  if (measured === undefined) return ['Not measured yet.'];
  const rows = measured.faults.map((fault) => [
    fault.fault,
    shorten(fault.answer),
    seconds(fault.ms),
    fault.nextMs === undefined ? '' : seconds(fault.nextMs),
    left([fault]),
  ]);
  const names = [
    'fault',
    'exit code, and what the cells say',
    'after',
    'the next command took',
    'left behind',
  ];
  return [describe(measured), table(names, rows)];
}

function renderPoisons(measured: ReliabilityRecord['poisons']): string[] {
  if (measured === undefined) return ['Not measured yet.'];
  const rows = measured.faults.map((fault) => [
    fault.fault,
    shorten(fault.answer),
    seconds(fault.ms),
    fault.problems.length === 0 ? 'as it must be' : shorten(fault.problems.join('; ')),
  ]);
  return [describe(measured), table(['harm', 'what the gate said', 'after', 'and that is'], rows)];
}

/** What a command said, in a cell of a table. */
function shorten(text: string): string {
  return escapeProse(text.length > 160 ? `${text.slice(0, 160)}…` : text);
}

function renderCrashes(measured: ReliabilityRecord['crashes']): string[] {
  if (measured === undefined) return ['Not measured yet.'];
  const { crashes, seed } = measured;
  const kinds = [...new Set(crashes.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const ofKind = crashes.filter((crash) => crash.kind === kind);
    const ms = ofKind.map(({ nextMs }) => nextMs);
    return [
      `\`${kind}\``,
      String(sum(ofKind.map(({ kills }) => kills))),
      String(new Set(ofKind.map(({ at }) => at.replace(/^\d+ ms after /, ''))).size),
      spread(ms),
      left(ofKind),
    ];
  });
  const kills = sum(crashes.map((crash) => crash.kills));
  return [
    `${kills} processes killed, seed ${seed}. ${describe(measured)}`,
    table(['killed', 'times', 'moments', 'the next command took', 'left behind'], rows),
  ];
}

/** By command and by the signals that it got. */
function renderInterrupts(measured: ReliabilityRecord['interrupts']): string[] {
  if (measured === undefined) return ['Not measured yet.'];
  const { crashes, seed } = measured;
  const rows = [...groupBy(crashes, ({ kind, by }) => `\`${kind}\`, ${by}`)].map(([title, group]) => [
    title,
    String(group.length),
    spread(group.map(({ endMs }) => endMs)),
    spread(group.map(({ nextMs }) => nextMs)),
    left(group),
  ]);
  return [
    `${crashes.length} commands interrupted at random moments, seed ${seed}. ${describe(measured)}`,
    table(['interrupted', 'times', 'ended after', 'the next command took', 'left behind'], rows),
  ];
}

function renderFaults(measured: ReliabilityRecord['faults']): string[] {
  if (measured === undefined) return ['Not measured yet.'];
  const rows = measured.faults.map((fault) => [fault.fault, fault.answer, seconds(fault.ms), left([fault])]);
  return [describe(measured), table(['fault', 'exit code, and what it says', 'after', 'left behind'], rows)];
}

function left(list: readonly { readonly problems: readonly string[] }[]): string {
  const wrong = list.flatMap(({ problems }) => problems);
  return wrong.length === 0 ? 'nothing' : `${wrong.length}: ${(wrong[0] ?? '').slice(0, 80)}`;
}

function spread(ms: readonly number[]): string {
  return `${seconds(median(ms))}, at most ${seconds(Math.max(...ms))}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function describe({ at, host }: MeasuredOn): string {
  return `Measured on ${at.slice(0, 10)}: ${Object.entries(host)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}.`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
