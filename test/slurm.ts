import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createWaitFor, systemClock } from '../lab/drivers/clock.ts';
import { findTool } from '../lab/drivers/host/host-facts.ts';
import { endProcess } from './child-processes.ts';
import { runProgram, type Ended } from './cli/support/run-cli.ts';

const PROGRAMS = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'sinfo', 'unshare', 'nsenter', 'ip'];
const missing = PROGRAMS.filter((name) => findTool(name, process.env.PATH ?? '') === undefined);

/** Why tests with Slurm do not run here; undefined where they do. */
export const lacksSlurm =
  missing.length > 0
    ? `there is no ${missing.join(', ')}: apt-get install slurm-wlm munge iproute2`
    : process.getuid?.() === 0
      ? undefined
      : 'only root can give the daemons of Slurm a network of their own';

const STARTS_MS = 60_000;
const INTERVAL_MS = 100;
/** Name of the process that holds the network of the daemons. */
const NETWORK = 'network';
/** Nothing else is in that network. */
const FIRST_PORT = 17_001;

/** A cluster of Slurm on this machine. */
export interface Slurm {
  /** Runs a program where the cluster is reached. */
  run(program: string, words: readonly string[], options?: ProgramOptions): Promise<Ended>;
  /** Resolves once every node is there and has nothing to do. */
  awaitIdle(): Promise<void>;
  /** Ends the daemon of a node by SIGKILL. Its tasks go on. */
  killNode(node: string): Promise<void>;
  /** Starts the daemon of a node. */
  startNode(node: string): void;
  /** Ends every daemon. */
  end(): Promise<void>;
}

/** How a program is run in a cluster. */
interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Starts munged, slurmctld and one slurmd for each node, with all of their files in a folder. They are in a network
 * of their own, because slurmctld listens on all addresses.
 */
export async function startSlurm(folder: string, nodes: readonly string[]): Promise<Slurm> {
  const daemons = new Map<string, ChildProcess>();
  const env = { ...process.env, SLURM_CONF: join(folder, 'slurm.conf') };
  const start = (name: string, [program = '', ...words]: readonly string[]): ChildProcess => {
    const log = openSync(join(folder, `${name}.out`), 'a');
    const child = spawn(program, words, { stdio: ['ignore', log, log], env });
    closeSync(log);
    daemons.set(name, child);
    return child;
  };
  writeFiles(folder, nodes);
  const network = await startNetwork(folder, start);
  const inside = (...words: string[]): string[] => ['nsenter', '--net', `--target=${network}`, ...words];
  const at = (name: string): string => join(folder, 'munge', name);
  start('munged', [
    ...['munged', '--foreground', '--force', `--socket=${at('socket')}`, `--key-file=${at('key')}`],
    ...[`--log-file=${at('log')}`, `--pid-file=${at('pid')}`, `--seed-file=${at('seed')}`],
  ]);
  await waitUntil('munged', () => existsSync(at('socket')));
  start('slurmctld', inside('slurmctld', '-D'));
  const startNode = (node: string): void => void start(node, inside('slurmd', '-D', '-N', node));
  for (const node of nodes) startNode(node);
  const endOne = async (name: string, signal: NodeJS.Signals): Promise<void> => {
    const daemon = daemons.get(name);
    if (daemon !== undefined) await endProcess(daemon, signal);
  };
  const run: Slurm['run'] = (program, words, options = {}) => {
    const [nsenter = '', ...rest] = inside(program, ...words);
    return runProgram(nsenter, rest, { SLURM_CONF: env.SLURM_CONF, ...options.env }, options.cwd);
  };
  const awaitIdle = async (): Promise<void> => {
    await waitUntil('all nodes of Slurm to be idle', async () => {
      const { stdout } = await run('sinfo', ['--noheader', '--states=idle', '--format=%D']);
      return Number(stdout) === nodes.length;
    });
  };
  await awaitIdle();
  return {
    run,
    awaitIdle,
    startNode,
    killNode: (node) => endOne(node, 'SIGKILL'),
    end: async () => {
      for (const name of [...daemons.keys()].filter((daemon) => daemon !== NETWORK).reverse())
        await endOne(name, 'SIGTERM');
      // A task outlives the slurmd that started it; it is still in the network of the cluster.
      for (const pid of listInside(network)) killIfThere(pid);
      await endOne(NETWORK, 'SIGKILL');
    },
  };
}

/** The other processes in the network of a process. */
function listInside(holder: number | undefined): number[] {
  const networkOf = (pid: number | string | undefined): string | undefined => {
    try {
      return readlinkSync(`/proc/${pid}/ns/net`);
    } catch {
      return undefined; // it has ended
    }
  };
  const network = networkOf(holder);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && networkOf(name) === network)
    .map(Number)
    .filter((pid) => network !== undefined && pid !== holder);
}

/** Ends a process by SIGKILL, unless it has ended since it was listed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Makes a network that only has `lo`, and returns the id of the process that holds it. */
async function startNetwork(
  folder: string,
  start: (name: string, words: readonly string[]) => ChildProcess,
): Promise<number | undefined> {
  const ready = join(folder, 'network');
  // Where lo has 127.0.0.1 only, Slurm resolves no address at all (AI_ADDRCONFIG of getaddrinfo).
  const script = 'ip link set lo up && ip address add 10.77.0.1/32 dev lo && : > "$0"; exec sleep infinity';
  const { pid } = start(NETWORK, ['unshare', '--net', 'sh', '-c', script, ready]);
  await waitUntil('a network', () => existsSync(ready));
  return pid;
}

function writeFiles(folder: string, nodes: readonly string[]): void {
  for (const name of ['state', 'munge', ...nodes.map((node) => `spool/${node}`)])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'munge/key'), randomBytes(128), { mode: 0o600 });
  // Without a cgroup tree slurmd ends. 22.05 has no plugin that does nothing.
  writeFileSync(join(folder, 'cgroup.conf'), 'CgroupPlugin=cgroup/v1\n');
  const settings = {
    ClusterName: 'whodunit',
    SlurmctldHost: `${hostname()}(127.0.0.1)`,
    SlurmctldPort: FIRST_PORT - 1,
    SlurmUser: 'root',
    AuthType: 'auth/munge',
    AuthInfo: `socket=${folder}/munge/socket`,
    CredType: 'cred/munge',
    StateSaveLocation: `${folder}/state`,
    SlurmctldPidFile: `${folder}/slurmctld.pid`,
    SlurmctldLogFile: `${folder}/slurmctld.log`,
    SlurmdPidFile: `${folder}/%n.pid`,
    SlurmdLogFile: `${folder}/%n.log`,
    SlurmdSpoolDir: `${folder}/spool/%n`,
    SlurmdParameters: 'config_overrides',
    SlurmdTimeout: 10,
    ReturnToService: 2,
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    JobAcctGatherType: 'jobacct_gather/none',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_CPU_Memory',
    SchedulerParameters: 'batch_sched_delay=0,sched_interval=1',
    MpiDefault: 'none',
    PlugStackConfig: '/dev/null',
  };
  const lines = [
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    ...nodes.map(
      (node, index) =>
        `NodeName=${node} NodeHostname=localhost NodeAddr=127.0.0.1 Port=${FIRST_PORT + index} CPUs=4 RealMemory=8192`,
    ),
    `PartitionName=all Nodes=${nodes.join(',')} Default=YES MaxTime=INFINITE State=UP`,
  ];
  writeFileSync(join(folder, 'slurm.conf'), `${lines.join('\n')}\n`);
}

function waitUntil(title: string, isThere: () => boolean | Promise<boolean>): Promise<true> {
  return createWaitFor(systemClock)(
    {
      title,
      look: async () => ((await isThere()) ? { done: true, value: true } : { done: false, seen: 'nothing' }),
    },
    { timeoutMs: STARTS_MS, intervalMs: INTERVAL_MS },
  );
}
