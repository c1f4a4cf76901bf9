import { existsSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { listFolder, readLines, readJson } from '../../lab/drivers/files/files.ts';
import { listQemuGuests } from '../../lab/drivers/machines/qemu-guests.ts';
import type { RunResult } from '../../lab/model/saved/formats.ts';
import type { Look, Probe } from '../../lab/model/host/host.ts';
import { libvirtPrefix } from '../../lab/model/host/machine.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import { connectAll } from '../../lab/world/connect.ts';
import type { Lab } from '../../lab/world/lab.ts';
import type { ReadyRecord } from '../../lab/world/world-record.ts';
import type { Session } from '../bench/session.ts';
import { awaitEnd, explain, type Home } from './engine.ts';
import type { FaultResult } from './faults.ts';
import { findLeftoversHere } from './leftovers.ts';
import { openSteppedClock, type SteppedClock } from './stepped-clock.ts';

/** What a real machine, or the lab that drives it, is struck with. */
interface MachineFault {
  readonly name: string;
  readonly words: readonly string[];
  /** When: at an event of the run, at the start of the command, or when it says that a step begins. */
  readonly at: 'cell-deployed' | 'start' | { readonly step: string };
  readonly strike: (scene: Scene, child: ChildProcess) => Promise<void>;
  /** Exit codes that are fine. */
  readonly status: readonly number[];
  /** Whether its command sees a clock of the host that can be set. */
  readonly ownClock?: true;
  /** What the cells have to say. */
  readonly says?: string;
  /** Makes good what the lab cannot: done before the next command. */
  readonly heal?: (scene: Scene) => Promise<void>;
  /** The next command, which must end with 0; left out: the same again. */
  readonly next?: readonly string[];
  /** Done at the end, so that the next fault finds what this one found. */
  readonly after?: readonly string[];
}

interface Scene {
  readonly session: Session;
  readonly lab: Lab;
  readonly record: ReadyRecord;
  readonly home: Home;
  /** The clock of the host, as the commands see it. */
  readonly clock: SteppedClock;
}

const CELL = 'oom-single-container';
const RUN = ['run', CELL];
const DERIVED = ['up', 'knobs=qps-5'];
const WITHOUT = ['down', 'qps-5'];
const DEPLOYED = { timeoutMs: 10 * 60_000, intervalMs: 50 };
/** Longest time from a fault to the end of its command. */
const END_MS = 20 * 60_000;

const inGuest =
  (script: string) =>
  async ({ lab, record }: Scene): Promise<void> => {
    const guests = await connectAll(lab, record);
    // The fault comes when this connection is closed: it may not answer any more.
    for (const guest of guests) {
      await guest.must(`nohup setsid sh -c 'sleep 0.3; ${script}' > /dev/null 2>&1 < /dev/null &`);
      guest.close();
    }
  };

const toQemu =
  (name: NodeJS.Signals) =>
  ({ home }: Scene): Promise<void> => {
    const ours = listQemuGuests().filter((guest) => guest.name.startsWith(libvirtPrefix(home.stateDir)));
    for (const { pid } of ours) process.kill(pid, name);
    return Promise.resolve();
  };

const killLab = (_scene: Scene, child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  return Promise.resolve();
};

/** Only processes of our namespace: others may have daemons of this name in theirs. */
const HERE = ['--ns', String(process.pid), '--nslist', 'pid', '-x'];

const daemonDies =
  (name: string) =>
  async ({ lab }: Scene): Promise<void> =>
    void (await lab.host.run('pkill', ['-KILL', ...HERE, name]));

/** Where no service manager starts a daemon again, somebody has to. */
const startDaemon =
  (name: string) =>
  async ({ lab }: Scene): Promise<void> => {
    const { stdout } = await lab.host.run('pgrep', [...HERE, name], { okStatus: [0, 1] });
    if (stdout === '') await lab.host.run(name, ['-d']);
  };

const stepClock =
  (seconds: number) =>
  ({ clock }: Scene): Promise<void> => {
    clock.step(seconds);
    return Promise.resolve();
  };

/** Steps of `up`, as its progress names them. */
const DERIVED_STEPS = [
  'machines through Terraform',
  'disks and memory of default',
  'node Ready, kube-proxy and DNS',
  'saving the ready snapshot',
];
const COLD_STEPS = ['machines through Terraform', 'kubeadm init'];

/** No cell may pass or fail but where the fault cannot reach its evidence. */
const FAULTS: readonly MachineFault[] = [
  { name: 'QEMU killed', words: RUN, at: 'cell-deployed', strike: toQemu('SIGKILL'), status: [3] },
  { name: 'QEMU frozen (SIGSTOP)', words: RUN, at: 'cell-deployed', strike: toQemu('SIGSTOP'), status: [3] },
  {
    name: 'the kernel of the guest panics',
    words: RUN,
    at: 'cell-deployed',
    status: [3],
    strike: inGuest('echo c > /proc/sysrq-trigger'),
  },
  {
    name: 'SSH stalls (sshd stopped)',
    words: RUN,
    at: 'cell-deployed',
    status: [3],
    strike: inGuest('pkill -STOP -x sshd'),
  },
  {
    name: 'the API stalls (API server stopped)',
    words: RUN,
    at: 'cell-deployed',
    status: [0, 3],
    strike: inGuest('pkill -STOP -x kube-apiserver'),
  },
  {
    name: 'libvirtd killed between two cells',
    at: 'cell-deployed',
    status: [0, 3],
    words: ['run', CELL, 'exit-zero'],
    strike: daemonDies('libvirtd'),
    heal: startDaemon('libvirtd'),
  },
  {
    name: 'virtlogd killed before machines are made',
    words: DERIVED,
    at: 'start',
    status: [0, 3],
    strike: daemonDies('virtlogd'),
    heal: startDaemon('virtlogd'),
    after: WITHOUT,
  },
  ...[3600, -3600].map((seconds) => ({
    name: `the clock of the host is set ${seconds > 0 ? 'forward' : 'back'} by an hour`,
    words: RUN,
    at: 'cell-deployed' as const,
    strike: stepClock(seconds),
    status: [3],
    ownClock: true as const,
    says: 'the clock of the host went',
  })),
  { name: '`run` killed in a cell', words: RUN, at: 'cell-deployed', strike: killLab, status: [137] },
  ...DERIVED_STEPS.map((step) => ({
    name: `\`up\` of a derived world killed in "${step}"`,
    words: DERIVED,
    at: { step },
    strike: killLab,
    status: [137],
    after: WITHOUT,
  })),
  ...COLD_STEPS.map((step) => ({
    name: `\`up\` of a world from its image killed in "${step}"`,
    words: [...DERIVED, '--cold'],
    next: DERIVED,
    at: { step },
    strike: killLab,
    status: [137],
    after: WITHOUT,
  })),
];

/** Strikes a real world and its lab with each fault in turn; then the next command has to end well. */
export async function strikeMachines(
  session: Session,
  tell: (result: FaultResult) => Promise<void>,
): Promise<void> {
  const { record } = await session.upDefault();
  const home = homeOf(session);
  const clock = openSteppedClock(session.context.stateDir);
  for (const fault of FAULTS) {
    // The lab is opened again: a fault may have taken its libvirt away.
    await tell(await strike({ session, lab: await session.lab(), record, home, clock }, fault));
  }
}

async function strike(scene: Scene, fault: MachineFault): Promise<FaultResult> {
  const { session, home } = scene;
  const before = listRuns(home);
  scene.clock.step(0);
  const child = session.start(fault.words, fault.ownClock === true ? scene.clock.env : {});
  const end = awaitEnd(child);
  await awaitMoment(scene, fault, { before, child });
  if (child.exitCode !== null) throw new Error(`${fault.name}: too late: ${JSON.stringify(await end)}`);
  const struckAt = performance.now();
  await fault.strike(scene, child);
  const limit = setTimeout(() => child.kill('SIGKILL'), END_MS);
  const { status, output } = await end;
  clearTimeout(limit);
  const ms = performance.now() - struckAt;
  await fault.heal?.(scene);
  const nextAt = performance.now();
  const next = await awaitEnd(session.start(fault.next ?? fault.words));
  const nextMs = performance.now() - nextAt;
  const answer = `${status} ${describeEnd(home, before)}`.trim();
  const problems = [
    ...explain(fault.words.join(' '), { status, output }, fault.status),
    ...(answer.includes(fault.says ?? '') ? [] : [`the cells do not say "${fault.says}"`]),
    ...explain('the next command', next),
  ];
  if (fault.after !== undefined) problems.push(...(await endsWell(session, fault.after)));
  problems.push(...(await endsWell(session, ['gc'])));
  problems.push(...(await findLeftoversHere(await session.lab(), home)));
  return { fault: fault.name, answer, ms, nextMs, problems };
}

/** Waits for the moment of a fault, or for the end of its command. */
async function awaitMoment(
  { lab, home }: Scene,
  { at }: MachineFault,
  { before, child }: { readonly before: readonly string[]; readonly child: ChildProcess },
): Promise<void> {
  if (at === 'start') return;
  if (at === 'cell-deployed')
    return void (await lab.host.waitFor(untilDeployed(home, before, child), DEPLOYED));
  await new Promise<void>((resolve) => {
    let said = '';
    child.stderr?.on('data', (text) => {
      said += String(text);
      if (said.includes(`→ ${at.step}`)) resolve();
    });
    child.once('close', () => resolve());
  });
}

/** The state folder of a session, as rehearsals see it. */
export function homeOf({ home: stateDir, temporary, context: { cacheDir } }: Session): Home {
  return { stateDir, cacheDir, temporary };
}

/** Runs a command of a session, and says what was wrong with its end. */
export async function endsWell(session: Session, words: readonly string[]): Promise<string[]> {
  return explain(words.join(' '), await awaitEnd(session.start(words)));
}

function listRuns({ stateDir }: Home): readonly string[] {
  return listFolder(statePaths(stateDir).runs);
}

/** The run that was struck: the first one that was not there before. */
function findRun(home: Home, before: readonly string[]): string | undefined {
  return listRuns(home).find((id) => !before.includes(id));
}

/** Whether the pod of a cell was created, as the events of its run tell. */
function untilDeployed(home: Home, before: readonly string[], child: ChildProcess): Probe {
  const look = (): Look<true> => {
    const id = findRun(home, before);
    const events = id === undefined ? '' : statePaths(home.stateDir).run(id).events;
    if (existsSync(events) && readLines(events).some((line) => line.includes('"event":"cell-deployed"')))
      return { done: true, value: true };
    return { done: false, seen: `run ${id ?? 'not begun'}`, impossible: child.exitCode !== null };
  };
  return { title: 'the pod of a cell', look: () => Promise.resolve(look()) };
}

/** What the cells of the run that was struck say, and why; empty when it has no result. */
function describeEnd(home: Home, before: readonly string[]): string {
  const id = findRun(home, before);
  const result = id === undefined ? undefined : statePaths(home.stateDir).run(id).result;
  if (result === undefined || !existsSync(result)) return '';
  const { cells } = readJson(result) as RunResult;
  return cells
    .map(({ verdict, attribution, note }) => `${verdict}: ${note ?? attribution.killer}`)
    .join('; ');
}
