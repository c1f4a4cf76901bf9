import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { worldStackSchema } from '../../lab/model/host/machine.ts';
import type { Call } from './call.ts';
import type { StandInLibvirt } from './libvirt.ts';

const PROVIDER = 'registry.terraform.io/dmacvicar/libvirt';
const PACKED = 'terraform-provider-libvirt_0.8.3_linux_amd64.zip';

/** What Terraform knows of what it has made. */
interface State {
  readonly pools: string[];
  readonly domains: string[];
}

/** Terraform over the libvirt provider: it makes what `machines.json` says, one resource after the other. */
export async function runTerraform(call: Call, libvirt: StandInLibvirt): Promise<number> {
  const [verb = ''] = call.args;
  if (verb === 'version') return (call.print('{"terraform_version":"1.9.0"}'), 0);
  if (verb === 'providers') return mirror(call);
  if (verb === 'init') {
    await call.moment('init');
    mkdirSync(join(call.cwd, '.terraform'), { recursive: true });
    return 0;
  }
  const lock = join(call.cwd, '..', '..', '.terraform.tfstate.lock.info');
  if (!(await takeLock(call, lock))) return 1;
  try {
    await (verb === 'apply' ? apply : destroy)(call, libvirt);
    return call.stopped.aborted ? 1 : 0;
  } finally {
    // Who is killed leaves it there, and the lock is free all the same: it is one of fcntl(2).
    holders.delete(lock);
    if (!call.gone.aborted) rmSync(lock, { force: true });
  }
}

/** Locks that are held, by the process that holds them. */
const holders = new Map<string, Call>();

async function takeLock(call: Call, lock: string): Promise<boolean> {
  for (let waited = 0; holders.has(lock); waited += 20) {
    if (waited > 60_000 || call.stopped.aborted || call.gone.aborted) {
      call.complain('Error acquiring the state lock');
      return false;
    }
    await pause(20);
  }
  holders.set(lock, call);
  writeFileSync(lock, JSON.stringify({ Operation: call.args[0], Who: String(call.pid) }));
  return true;
}

async function mirror(call: Call): Promise<number> {
  const folder = join(call.args.at(-1) ?? '', PROVIDER);
  mkdirSync(folder, { recursive: true });
  await call.moment('providers mirror');
  writeFileSync(join(folder, PACKED), 'a provider');
  return 0;
}

function readState(call: Call): State {
  const path = join(call.cwd, '..', '..', 'terraform.tfstate');
  if (!existsSync(path)) return { pools: [], domains: [] };
  return JSON.parse(readFileSync(path, 'utf8')) as State;
}

function saveState(call: Call, state: State): void {
  writeFileSync(join(call.cwd, '..', '..', 'terraform.tfstate'), JSON.stringify(state));
}

async function apply(call: Call, libvirt: StandInLibvirt): Promise<void> {
  const text = readFileSync(join(call.cwd, '..', '..', 'machines.json'), 'utf8');
  const stack = worldStackSchema.parse(JSON.parse(text));
  const state = readState(call);
  saveState(call, state);
  await call.moment('apply: begun');
  if (call.stopped.aborted) return;
  libvirt.definePool(stack.name, stack.poolFolder);
  await call.moment('apply: pool made');
  state.pools.push(stack.name);
  saveState(call, state);
  for (const node of stack.nodes) {
    if (call.stopped.aborted) return;
    libvirt.makeVolume(stack.poolFolder, node);
    await call.moment('apply: volume made');
    libvirt.defineDomain(`${stack.name}-${node.name}`, stack.poolFolder, node);
    await call.moment('apply: domain defined');
    await libvirt.start(`${stack.name}-${node.name}`);
    await call.moment('apply: domain started');
    state.domains.push(`${stack.name}-${node.name}`);
    saveState(call, state);
  }
}

async function destroy(call: Call, libvirt: StandInLibvirt): Promise<void> {
  const state = readState(call);
  for (const domain of [...state.domains]) {
    if (call.stopped.aborted) return;
    await call.moment('destroy: before the domain');
    await libvirt.undefine(domain);
    state.domains.splice(state.domains.indexOf(domain), 1);
    saveState(call, state);
  }
  for (const pool of [...state.pools]) {
    if (call.stopped.aborted) return;
    await call.moment('destroy: before the pool');
    libvirt.emptyPool(pool);
    libvirt.undefinePool(pool, true);
    state.pools.splice(state.pools.indexOf(pool), 1);
    saveState(call, state);
  }
  await call.moment('destroy: done');
}
