import type { ChildProcess } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listFolder } from '../../lab/drivers/files/files.ts';
import { cachePaths, statePaths } from '../../lab/model/host/paths.ts';
import {
  ENDINGS,
  STAGINGS,
  UP,
  type CrashKind,
  type CrashPlan,
  type Ending,
  type CrashStaging,
} from './crash-plans.ts';
import { awaitEnd, explain, must, type Engine, type Home } from './engine.ts';
import { findLeftovers } from './leftovers.ts';

/** One process that was killed or interrupted, and what came after. */
export interface Crash {
  /** What was ended. */
  readonly kind: CrashKind;
  readonly by: Ending;
  /** What happened on the host when the signal was sent. */
  readonly at: string;
  /** From the first signal to the end of the process, in milliseconds. */
  readonly endMs: number;
  /** Processes that were ended. */
  readonly kills: number;
  /** What the next command took, in milliseconds. */
  readonly nextMs: number;
  /** What was wrong afterwards; empty: nothing. */
  readonly problems: readonly string[];
}

/** Kills commands, one after the other. */
export interface CommandKiller {
  /** Stages one crash and looks at what is left of it. */
  crash(plan: CrashPlan): Promise<Crash>;
}

/** Longest pause between a moment of the host and the signal: the lab goes on with its own work meanwhile. */
const LATER_MS = 150;
/** What a step of a tool takes that was at work when its lab died: long enough for the next command to meet it. */
const LINGER_MS = 400;
/** Between the first and the second Ctrl-C. */
const AGAIN_MS = 100;

interface Scene {
  readonly engine: Engine;
  readonly home: Home;
  /** A second lab on the same cache. */
  readonly other: Home;
  readonly random: () => number;
  /** Moments of a whole command, by its kind. */
  readonly moments: Map<string, number>;
}

/** Opens a killer; `random` chooses the moments, `name` that of its state folders. */
export function createKiller(engine: Engine, random: () => number, name = 'killed'): CommandKiller {
  const [home, other] = [engine.openHome(name), engine.openHome(`${name}-other`)];
  const scene: Scene = { engine, home, other, random, moments: new Map() };
  return {
    crash: (plan) => {
      if (plan.kind === 'gc') return crashOfGc(scene, plan);
      return plan.kind === 'two labs'
        ? crashOfTwo(scene, plan)
        : crashOfOne(scene, plan, STAGINGS[plan.kind]);
    },
  };
}

function choose<T>({ random }: Scene, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** A command that dies. */
interface Victim {
  readonly of: Home;
  readonly words: readonly string[];
  /** Commands of one name have about as many moments. */
  readonly name: string;
  readonly guess: number;
}

/** How a command was ended: when, by what, and how long it took. */
type Struck = Pick<Crash, 'at' | 'by' | 'endMs'>;

/** Runs a command and ends it. Returns undefined when the command was faster. */
async function kill(
  scene: Scene,
  plan: Omit<CrashPlan, 'kind'>,
  victim: Victim,
): Promise<Struck | undefined> {
  const { by = 'SIGKILL' } = plan;
  const { engine, moments, random } = scene;
  const { of, words, name, guess } = victim;
  const target = 1 + Math.floor(random() * (moments.get(name) ?? guess));
  const later =
    plan.laterMs ?? (plan.at !== undefined || random() < 0.5 ? 0 : Math.floor(random() * LATER_MS));
  const isMeant = (number: number, what: string): boolean =>
    plan.at === undefined ? number === target : what.includes(plan.at);
  let at: string | undefined;
  let struckAt = NaN;
  const child = engine.start(of, words);
  const ended = awaitEnd(child);
  engine.host.onMoment((number, what) => {
    if (at !== undefined || !isMeant(number, what)) return;
    at = `${later === 0 ? '' : `${later} ms after `}${what.split('\n')[0] ?? ''}`;
    void pause(later).then(() => {
      struckAt = performance.now();
      void sendAll(child, by);
      engine.host.linger(LINGER_MS);
    });
  });
  const { status, output } = await ended;
  const endMs = performance.now() - struckAt;
  const isStruck = status === ENDINGS[by].status && at !== undefined;
  moments.set(name, Math.max(1, isStruck ? (moments.get(name) ?? guess) : engine.host.countMoments()));
  engine.host.onMoment(undefined);
  if (isStruck && at !== undefined) return { at, by, endMs };
  if (!listFine(words).includes(status))
    throw new Error(`${words.join(' ')} ended with ${status}: ${output}`);
  if (plan.at !== undefined && at === undefined)
    throw new Error(`"${plan.at}" does not happen in ${words.join(' ')}`);
  return undefined;
}

async function sendAll(child: ChildProcess, by: Ending): Promise<void> {
  for (const [index, signal] of ENDINGS[by].signals.entries()) {
    if (index > 0) await pause(AGAIN_MS);
    child.kill(signal);
  }
}

async function crashOfOne(scene: Scene, plan: CrashPlan, staging: CrashStaging): Promise<Crash> {
  const { home } = scene;
  const { kind } = plan;
  let struck: Struck | undefined;
  while (struck === undefined) {
    for (const words of staging.before) await must(scene.engine, home, words);
    const { without = [] } = staging;
    const gone =
      plan.at === undefined ? [choose(scene, [undefined, ...without])] : kind === 'bake' ? without : [];
    for (const part of gone)
      if (part !== undefined) rmSync(cachePaths(home.cacheDir)[part], { recursive: true, force: true });
    const name = `${kind} without ${gone.join(', ')}`;
    struck = await kill(scene, plan, { of: home, words: staging.victim, name, guess: staging.moments });
  }
  const fitting = staging.next.filter(([verb]) => plan.next === undefined || verb === plan.next);
  return lookBehind(scene, { kind, ...struck, kills: 1 }, choose(scene, fitting), staging.keepsWorld);
}

async function crashOfGc(scene: Scene, { at: wanted, by }: CrashPlan): Promise<Crash> {
  const { home } = scene;
  let struck: Struck | undefined;
  let kills = 0;
  while (struck === undefined) {
    await must(scene.engine, home, ['down', '--all']);
    const up = { of: home, words: UP, name: 'up behind which gc dies', guess: 80 };
    const first = await kill(scene, wanted === undefined ? {} : { at: 'apply: domain started' }, up);
    if (first === undefined) continue;
    kills += 1;
    const gc = { of: home, words: ['gc'], name: 'gc', guess: 15 };
    const how = { ...(wanted === undefined ? {} : { at: wanted }), ...(by === undefined ? {} : { by }) };
    struck = await kill(scene, how, gc);
  }
  return lookBehind(scene, { kind: 'gc', ...struck, kills: kills + 1 }, ['gc']);
}

async function crashOfTwo(scene: Scene, plan: CrashPlan): Promise<Crash> {
  const { engine, home, other } = scene;
  let struck: Struck | undefined;
  const problems: string[] = [];
  while (struck === undefined) {
    for (const of of [home, other]) await must(engine, of, ['down', '--all']);
    rmSync(cachePaths(home.cacheDir).images, { recursive: true, force: true });
    const second = awaitEnd(engine.start(other, UP));
    struck = await kill(scene, plan, { of: home, words: UP, name: 'two labs', guess: 150 });
    problems.push(...explain('the other lab', await second));
  }
  const crash = await lookBehind(scene, { kind: 'two labs', ...struck, kills: 1 }, UP);
  await must(engine, other, ['down', '--all']);
  problems.push(...explain('gc of the other lab', await engine.run(other, ['gc'])));
  problems.push(...(await findLeftovers(engine, other)));
  return { ...crash, problems: [...crash.problems, ...problems] };
}

/** The next command, then `gc`, then a look at everything that a lab makes. */
async function lookBehind(
  { engine, home }: Scene,
  crash: Omit<Crash, 'nextMs' | 'problems'>,
  next: readonly string[],
  keepsWorld = false,
): Promise<Crash> {
  const startedAt = performance.now();
  const problems = explain(next.join(' '), await engine.run(home, next), listFine(next));
  const nextMs = performance.now() - startedAt;
  problems.push(...explain('gc', await engine.run(home, ['gc'])));
  problems.push(...(await findLeftovers(engine, home)));
  problems.push(...(await readRuns(engine, home)));
  if (keepsWorld) {
    const { output } = await engine.run(home, UP);
    if (!output.includes('"how":"restored"')) problems.push(`the saved world is lost: ${output.slice(-600)}`);
  }
  return { ...crash, nextMs, problems };
}

/**
 * Exit codes of a command that ends well. What is used instead of a node proves nothing, so no cell may pass or fail.
 */
function listFine([verb = '', flag]: readonly string[]): readonly number[] {
  // A run that was killed before it had a plan cannot be gone on with, and a judged one has nothing left.
  if (flag === '--resume') return [2, 3];
  return verb === 'run' || verb === 'repro' ? [3] : [0];
}

/** Every run folder must open: a run that was killed keeps what it had. */
async function readRuns(engine: Engine, home: Home): Promise<string[]> {
  const { runs, run } = statePaths(home.stateDir);
  const problems: string[] = [];
  for (const id of listFolder(runs)) {
    const verbs = [
      ...(existsSync(run(id).result) ? [['report', id, '--json']] : []),
      ...(existsSync(run(id).events) ? [['events', id]] : []),
    ];
    for (const words of verbs)
      problems.push(...explain(words.join(' '), await engine.run(home, words), [0, 3]));
    rmSync(join(runs, id), { recursive: true });
  }
  return problems;
}
