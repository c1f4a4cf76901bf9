import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimsFolder, openClaimBook } from '../../../../lab/drivers/claims/claims.ts';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import { findStartTicks } from '../../../../lab/drivers/processes/liveness.mjs';
import { thisProcess } from '../../../../lab/drivers/processes/processes.ts';
import { endProcess } from '../../../child-processes.ts';
import { PROJECT } from '../../project-files.ts';

let base: string;
let folder: string;
let labs: ChildProcess[] = [];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-claims-'));
  folder = join(base, 'claims');
});
afterEach(async () => {
  await Promise.all(labs.map((lab) => endProcess(lab)));
  labs = [];
  rmSync(base, { recursive: true });
});

const open = () => openClaimBook(folder, systemClock, new AbortController().signal);
const CLAIM = { world: 'default', guests: 'whodunit-x-default-', memoryMiB: 3000, nodes: 1, vcpus: 2 };

/** Starts a lab that waits for a line, on a host with room for some worlds. */
async function startLab(index: number, room: number): Promise<{ decide: () => Promise<string> }> {
  const script = join(PROJECT, 'test/fixtures/claim-room.ts');
  const words = ['--import', 'tsx', script, folder, String(room), join(base, `state-${index}`)];
  const child = spawn(process.execPath, words, { cwd: PROJECT, stdio: ['pipe', 'pipe', 'inherit'] });
  labs.push(child);
  const lines = createInterface({ input: child.stdout });
  const next = async (): Promise<string> => ((await once(lines, 'line')) as [string])[0];
  expect(await next()).toBe('ready');
  return {
    decide: () => {
      const verdict = next();
      child.stdin.write('go\n');
      return verdict;
    },
  };
}

it('gives room for one world to one of two labs that start at the same moment, and then to the next', async () => {
  const [one, two, late] = await Promise.all([0, 1, 2].map((index) => startLab(index, 1)));
  const verdicts = await Promise.all([one!.decide(), two!.decide()]);
  expect(verdicts.toSorted()).toEqual(['admit', 'refuse']);
  // What a killed lab has claimed is free again.
  await endProcess(labs[verdicts.indexOf('admit')]!);
  expect(await late!.decide()).toBe('admit');
});

it('gives room to as many labs as there is room for', async () => {
  const started = await Promise.all([0, 1, 2].map((index) => startLab(index, 2)));
  const verdicts = await Promise.all(started.map(({ decide }) => decide()));
  expect(verdicts.toSorted()).toEqual(['admit', 'admit', 'refuse']);
});

it('lists the claims of other living labs alone, and removes the rest', async () => {
  const claims = open();
  const release = await claims.decide(() => claims.take(CLAIM));
  // Of a process with the number of ours that has ended; and no claim at all.
  writeFileSync(join(folder, 'dead.json'), JSON.stringify({ ...CLAIM, ...thisProcess(), startTicks: '1' }));
  writeFileSync(join(folder, 'torn.json'), '{');
  const living = { pid: 1, startTicks: findStartTicks(1)! };
  writeFileSync(join(folder, 'living.json'), JSON.stringify({ ...CLAIM, ...living }));
  expect(claims.listOthers()).toEqual([{ ...CLAIM, ...living }]);
  expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toHaveLength(2);
  release();
  expect(readdirSync(folder)).toEqual(['living.json']);
});

it('uses no folder that somebody else made, or may write to', async () => {
  const trap = join(base, 'trap');
  mkdirSync(trap, { mode: 0o700 });
  symlinkSync(trap, folder);
  await expect(open().decide(() => 1)).rejects.toThrow('is not only yours');
  rmSync(folder);
  mkdirSync(folder);
  chmodSync(folder, 0o770);
  await expect(open().decide(() => 1)).rejects.toThrow('is not only yours');
  chmodSync(folder, 0o700);
  expect(await open().decide(() => 1)).toBe(1);
});

it('has one folder for each user, whatever their state folders', () => {
  expect(claimsFolder(1000)).toMatch(/^\/(run\/lock|tmp)\/whodunit-1000$/);
  expect(claimsFolder(0)).not.toBe(claimsFolder(1000));
});
