/**
 * `npm run reliability [part…] [-- --count N --cells N --seed N]`: kills labs and strikes them with faults, on a stand-in host and on
 * real machines, counts what is left, and writes docs/measured/reliability.md. Without words: all parts. Ends with 1 when anything
 * was wrong. The faults need root, and Debian's packages exfatprogs, exfat-fuse and libfaketime.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { describeHost } from '../lab/drivers/host/host-facts.ts';
import { sum } from '../lab/model/text/sum.ts';
import { PROJECT } from '../test/cli/support/run-cli.ts';
import { createRandom } from '../test/random.ts';
import { openSession } from './bench/session.ts';
import { CHOSEN_CRASHES, CRASH_KINDS, type CrashPlan } from './reliability/crash-plans.ts';
import { openEngine, type Engine } from './reliability/engine.ts';
import { rehearseFaults, type FaultResult } from './reliability/faults.ts';
import { createKiller, type Crash } from './reliability/killer.ts';
import { runLong, runLongHere, type LongRun } from './reliability/long-run.ts';
import { strikeMachines } from './reliability/machines.ts';
import { renderReliability, type MeasuredOn, type ReliabilityRecord } from './reliability/page.ts';
import { poisonWorlds } from './reliability/poisons.ts';

const RECORD = join(PROJECT, 'docs/measured/reliability.json');
const PAGE = join(PROJECT, 'docs/measured/reliability.md');
/** How often each command is interrupted in each way. */
const TURNS = 3;
const ON_STAND_IN = ['crashes', 'interrupts', 'faults', 'long'] as const;
const ON_MACHINES = ['deaths', 'machines', 'poisons'] as const;
const PARTS = [...ON_STAND_IN, ...ON_MACHINES];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '200' },
    cells: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const unknown = positionals.filter((name) => !PARTS.some((part) => part === name));
const [count, cells, seed] = [values.count, values.cells, values.seed].map(Number) as [
  number,
  number,
  number,
];
const isCount = (value: number): boolean => Number.isInteger(value) && value > 0;
if (unknown.length > 0 || !isCount(count) || !isCount(cells) || !Number.isInteger(seed)) {
  console.error(`npm run reliability [${PARTS.join('] [')}] [-- --count 200 --cells 1000 --seed 1]`);
  process.exit(2);
}
const isWanted = (part: (typeof PARTS)[number]): boolean =>
  positionals.length === 0 || positionals.includes(part);

/** Adds what was measured to the record, and writes the page again. A run that is ended early keeps what it has. */
async function save(part: ReliabilityRecord): Promise<void> {
  const record = { ...(JSON.parse(readFileSync(RECORD, 'utf8')) as ReliabilityRecord), ...part };
  // As the format check wants it, whatever was found.
  writeFileSync(
    RECORD,
    await format(JSON.stringify(record, null, 2), { ...(await resolveConfig(RECORD)), filepath: RECORD }),
  );
  writeFileSync(PAGE, await renderReliability(record));
}

/**
 * The chosen moments, then random ones until so many processes were killed. Returns how many crashes left something.
 */
function killLabs(engine: Engine): Promise<number> {
  return crashAll(engine, 'crashes', (before) => {
    if (sum(before.map(({ kills }) => kills)) >= count) return undefined;
    const kind = CRASH_KINDS[before.length % CRASH_KINDS.length] ?? 'up';
    return CHOSEN_CRASHES[before.length] ?? { kind };
  });
}

/** Ends each command in turn by Ctrl-C, once and twice, at random moments. Returns how many left something. */
function interruptLabs(engine: Engine): Promise<number> {
  const endings = ['Ctrl-C', 'Ctrl-C twice'] as const;
  const once = CRASH_KINDS.flatMap((kind) => endings.map((by) => ({ kind, by })));
  return crashAll(engine, 'interrupts', ({ length }) =>
    length < TURNS * once.length ? once[length % once.length] : undefined,
  );
}

/** Stages one crash after the other, as long as there is a plan for the next. Returns how many left something. */
async function crashAll(
  engine: Engine,
  part: 'crashes' | 'interrupts',
  planNext: (before: readonly Crash[]) => CrashPlan | undefined,
): Promise<number> {
  const killer = createKiller(engine, createRandom(seed), part);
  const crashes: Crash[] = [];
  for (let plan = planNext(crashes); plan !== undefined; plan = planNext(crashes)) {
    const crash = await killer.crash(plan);
    crashes.push(crash);
    tell(`${crashes.length}: ${crash.kind} ended by ${crash.by}, at ${crash.at}`, crash.problems);
    await save({ [part]: { ...head, seed, crashes } });
  }
  return crashes.filter(({ problems }) => problems.length > 0).length;
}

/** Strikes with the faults of a part. Returns how many were not answered as they must be. */
async function strikeAll(
  part: 'faults' | 'machines' | 'poisons',
  strikeEach: (tell: (result: FaultResult) => Promise<void>) => Promise<void>,
): Promise<number> {
  const faults: FaultResult[] = [];
  await strikeEach(async (result) => {
    faults.push(result);
    tell(`${result.fault}: ${result.answer}`, result.problems);
    await save({ [part]: { ...head, faults } });
  });
  return faults.filter(({ problems }) => problems.length > 0).length;
}

/** Returns 1 when something grew, else 0. */
async function saveLong(part: 'long' | 'deaths', long: LongRun): Promise<number> {
  tell(`${long.standings.at(-1)?.cells ?? 0} cells and more in one process`, long.problems);
  await save({ [part]: { ...head, ...long } });
  return long.problems.length > 0 ? 1 : 0;
}

function tell(what: string, problems: readonly string[]): void {
  console.log([what, ...(problems.length === 0 ? ['nothing wrong'] : problems)].join('\n  '));
}

const head: MeasuredOn = { at: new Date().toISOString(), host: describeHost() };
let wrong = 0;
if (ON_STAND_IN.some(isWanted)) wrong += await onStandIn();
if (ON_MACHINES.some(isWanted)) wrong += await onMachines();
console.log(
  `${wrong === 0 ? 'nothing was wrong' : `${wrong} were wrong`}; written: docs/measured/reliability.md`,
);
process.exitCode = wrong === 0 ? 0 : 1;

async function onStandIn(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-reliability-'));
  const engine = await openEngine(folder);
  try {
    let bad = isWanted('crashes') ? await killLabs(engine) : 0;
    if (isWanted('interrupts')) bad += await interruptLabs(engine);
    if (isWanted('faults')) bad += await strikeAll('faults', (tell) => rehearseFaults(engine, folder, tell));
    return bad + (isWanted('long') ? await saveLong('long', await runLong(engine, cells)) : 0);
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onMachines(): Promise<number> {
  const session = openSession(new AbortController().signal);
  try {
    let bad = isWanted('poisons') ? await strikeAll('poisons', (tell) => poisonWorlds(session, tell)) : 0;
    if (isWanted('machines')) bad += await strikeAll('machines', (tell) => strikeMachines(session, tell));
    return bad + (isWanted('deaths') ? await saveLong('deaths', await runLongHere(session)) : 0);
  } finally {
    await session.close();
  }
}
