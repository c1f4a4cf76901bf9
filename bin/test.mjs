#!/usr/bin/env node
/**
 * `npm test [-- parts or paths of tests…] [-t name]`. Without words: format, lint, types and unit tests, reports in a
 * browser, then the host is made ready for the cli and lab tests. The end is a table, what failed, and the
 * plain line `N passed, N failed`. A check counts as one test. A part that crashes counts as failed. The parts
 * `nightly` and `captures` run only when they are named, and a path runs in the part that has this test.
 */
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BootstrapError, ensureNodeModules } from './bootstrap.mjs';
import { ensureBrowser } from './ensure-browser.mjs';
import { findTests, readTestWords } from './find-tests.mjs';
import { LAUNCH_EXIT_CODES } from './launch-error.mjs';
import { readTestReport, renderTestTotals } from './test-report.mjs';

const projectDir = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const modules = join(projectDir, 'node_modules');
/** Ctrl-C reaches the whole terminal group: the part ends by itself and cleans up, we only wait for it. */
let interrupted = false;
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * What the compiler knows of each file, by its content: it looks again only at those that have changed, and at those that
 * see them. It names files from where it is itself, so another clone can use what the cache has of this one.
 */
const KNOWN_TYPES = 'checks/types.tsbuildinfo';
const KNOWN_TYPES_OF_PAGE = 'checks/types-of-page.tsbuildinfo';
const ownCache = join(projectDir, '.lab/cache');

/**
 * One part of the tests: the programs to run, or the project of vitest. Programs that only read run side by side. Beside
 * them run tests that keep only one processor busy.
 */
const PARTS = {
  format: { onlyReads: true, programs: [[join(modules, 'prettier/bin/prettier.cjs'), '--check', '.']] },
  lint: {
    onlyReads: true,
    programs: [
      [join(modules, 'eslint/bin/eslint.js'), '.'],
      [join(modules, 'knip/bin/knip.js'), '--no-progress'],
    ],
  },
  types: {
    onlyReads: true,
    programs: [
      [KNOWN_TYPES, '.'],
      [KNOWN_TYPES_OF_PAGE, 'lab/autopsy/browser'],
    ].map(([known, project]) => [
      join(modules, 'typescript/bin/tsc'),
      ...['--noEmit', '-p', project, '--incremental', '--tsBuildInfoFile', join(ownCache, known)],
    ]),
    keeps: [KNOWN_TYPES, KNOWN_TYPES_OF_PAGE],
  },
  // Its tests are two projects of vitest: those that put another module in place of one of ours are by themselves.
  unit: { vitest: 'unit*' },
  report: { vitest: 'report', prepare: ensureBrowser, isBeside: true },
  // Makes the host ready for the next two parts: installs what is missing, as `whodunit up` does.
  host: { programs: [[join(projectDir, 'bin/whodunit.mjs'), 'doctor', '--fix']] },
  cli: { vitest: 'cli' },
  lab: { vitest: 'lab' },
  nightly: { vitest: 'nightly', onlyByName: true },
  // `npm test` draws some of the captures for tests that judge each of them many times. These take all of them.
  captures: {
    vitest: 'unit*',
    paths: [
      'test/unit/judge/',
      'test/unit/evidence/',
      'test/unit/check/check-proof',
      'test/unit/autopsy/answer-paste-forms.test.ts',
      'test/unit/commands/saved/save-autopsy.test.ts',
    ],
    env: { WHODUNIT_FUZZ_FACTOR: '4' },
    onlyByName: true,
    with: 'nightly',
  },
};

/** Of what runs side by side these take longest, so they begin first. */
const LONGEST = ['report', 'lint'];

/** Parts that draw what they test, and by which seed where nobody chooses one (test/fixtures/properties.ts). */
const DRAWING = ['unit', 'captures'];
const SEED = process.env.WHODUNIT_FUZZ_SEED ?? '20261121';

/** When the tests have to be done, for those that may be left out; without WHODUNIT_TEST_MINUTES they have all the time. */
const MINUTES = Number(process.env.WHODUNIT_TEST_MINUTES);
const END = MINUTES > 0 ? { WHODUNIT_TESTS_END: String(Date.now() + MINUTES * 60_000) } : {};

/** @returns {Promise<number>} the exit status; a signal counts as a crash */
function run(args, { env = {}, onOutput } = {}) {
  return new Promise((done) => {
    const output = onOutput === undefined ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, args, {
      cwd: projectDir,
      stdio: ['inherit', output, output],
      env: { ...process.env, ...END, ...env },
    });
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', onOutput);
    const end = (status) => {
      running.delete(child);
      done(status ?? 1);
    };
    child.once('error', () => end(1));
    child.once('close', end);
  });
}

/**
 * Each program is one check; all of them run, whatever the first one finds: as many at once as there are processors. What
 * a part has printed comes when its last program has ended.
 *
 * @param names the first one begins first: what takes longest.
 * @param {(name: string, onOutput: (chunk: Buffer) => void) => Promise<object>} runTests runs a part without programs
 */
async function runSideBySide(names, runTests) {
  const startedAt = Date.now();
  const checks = names.flatMap((name) =>
    (PARTS[name].programs ?? [undefined]).map((program) => ({ name, program, output: [] })),
  );
  const waiting = [...checks];
  const rows = [];
  const work = async () => {
    while (waiting.length > 0 && !interrupted) {
      const check = waiting.shift();
      const onOutput = (chunk) => check.output.push(chunk);
      if (check.program === undefined) check.counts = await runTests(check.name, onOutput);
      else check.status = await run(check.program, { env: COLOURS, onOutput });
      const own = checks.filter(({ name }) => name === check.name);
      if (own.some(({ status, counts }) => status === undefined && counts === undefined)) continue;
      const output = own.flatMap((one) => one.output);
      process.stdout.write(Buffer.concat([Buffer.from(`\n== ${check.name}\n`), ...output]));
      const counts = check.counts ?? countChecks(own);
      rows.push({ name: check.name, ...counts, seconds: secondsSince(startedAt) });
    }
  };
  names.flatMap((name) => PARTS[name].keeps ?? []).forEach(takeKnown);
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  names.flatMap((name) => PARTS[name].keeps ?? []).forEach(keepKnown);
  return rows;
}

/** Takes what another clone has kept in a cache that it shares with this one. */
function takeKnown(known) {
  const [own, shared] = [join(ownCache, known), sharedPath(known)];
  mkdirSync(dirname(own), { recursive: true, mode: 0o700 });
  if (shared !== undefined && existsSync(shared) && !existsSync(own)) copyFileSync(shared, own);
}

function keepKnown(known) {
  const [own, shared] = [join(ownCache, known), sharedPath(known)];
  if (shared === undefined || !existsSync(own)) return;
  mkdirSync(dirname(shared), { recursive: true, mode: 0o700 });
  const half = `${shared}.${process.pid}`;
  copyFileSync(own, half);
  renameSync(half, shared);
}

function sharedPath(known) {
  const shared = process.env.WHODUNIT_CACHE;
  return shared === undefined || shared === '' ? undefined : join(shared, known);
}

/** Programs that change the host: one after the other, and what they print is seen at once. */
async function runPrograms({ programs }) {
  const checks = [];
  for (const program of programs) if (!interrupted) checks.push({ program, status: await run(program) });
  return countChecks(checks);
}

/** A pipe takes the colours from a program whose output comes to a terminal in the end. */
const COLOURS = process.stdout.isTTY && process.env.NO_COLOR === undefined ? { FORCE_COLOR: '1' } : {};

function countChecks(checks) {
  const failures = checks
    .filter(({ status }) => status !== 0)
    .map(({ program, status }) => ({ name: nameProgram(program), why: `it ended with ${status}` }));
  return { passed: checks.length - failures.length, failed: failures.length, skipped: 0, failures };
}

function secondsSince(startedAt) {
  return (Date.now() - startedAt) / 1000;
}

/** The program and its words, short enough for one line. */
function nameProgram([path, ...words]) {
  return [basename(path), ...words].join(' ');
}

/**
 * @param {readonly string[]} paths only these tests, @param {string} [testName] only tests of this name
 * @param {(chunk: Buffer) => void} [onOutput] is given what vitest prints, which then keeps to one processor
 */
async function runVitest(part, paths, testName, onOutput) {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-test-'));
  const report = join(folder, 'report.json');
  try {
    const words = [
      join(modules, 'vitest/vitest.mjs'),
      'run',
      '--project',
      part.vitest,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(testName === undefined ? [] : [`--testNamePattern=${testName}`]),
      ...(onOutput === undefined ? [] : ['--maxWorkers=1']),
      ...paths,
    ];
    const env = onOutput === undefined ? part.env : { ...COLOURS, ...part.env };
    const status = await run(words, { env, onOutput });
    return readTestReport(report, status, projectDir);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(words) {
  const { names, paths, testName } = readTestWords(words);
  const unknown = names.filter((name) => !(name in PARTS));
  if (unknown.length > 0) {
    const parts = Object.keys(PARTS).join(', ');
    throw new BootstrapError('LAB_USAGE', `no part is called ${unknown.join(', ')}\n  try: one of ${parts}`, {
      exitCode: LAUNCH_EXIT_CODES.usage,
    });
  }
  await ensureNodeModules(projectDir);
  const tested = Object.keys(PARTS).filter((name) => 'vitest' in PARTS[name]);
  const chosen = await findTests(projectDir, paths, tested);
  const implied = Object.keys(PARTS).filter((name) => names.includes(PARTS[name].with));
  const asked = [...names, ...implied, ...chosen.keys()];
  const parts = Object.entries(PARTS).filter(([name, part]) => isAskedFor(name, part, asked));
  const reading = parts.filter(([, part]) => part.onlyReads === true).map(([name]) => name);
  const together = reading.length === 0 ? [] : parts.filter(([, part]) => part.isBeside === true);
  for (const [, part] of together) part.prepare?.();
  const beside = [...reading, ...together.map(([name]) => name)];
  const beginning = [...new Set([...LONGEST.filter((name) => beside.includes(name)), ...beside])];
  const runTests = (name, onOutput) => runVitest(PARTS[name], chosen.get(name) ?? [], testName, onOutput);
  const rows = await runSideBySide(beginning, runTests);
  for (const [name, part] of parts) {
    if (interrupted || beginning.includes(name)) continue;
    process.stdout.write(`\n== ${name}\n`);
    if (DRAWING.includes(name))
      process.stdout.write(
        `what is drawn: seed ${SEED}, ${part.env === undefined ? 'some' : 'all'} of the captures\n`,
      );
    const startedAt = Date.now();
    part.prepare?.();
    const counts =
      'vitest' in part
        ? await runVitest(part, chosen.get(name) ?? part.paths ?? [], testName)
        : await runPrograms(part);
    rows.push({ name, ...counts, seconds: secondsSince(startedAt) });
  }
  if (!interrupted && testName !== undefined && rows.every(({ passed, failed }) => passed + failed === 0))
    throw new BootstrapError('LAB_USAGE', `no test there has a name that matches ${testName}`, {
      exitCode: LAUNCH_EXIT_CODES.usage,
    });
  const order = Object.keys(PARTS);
  rows.sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
  process.stdout.write(renderTestTotals(rows));
  if (interrupted) return LAUNCH_EXIT_CODES.interrupted;
  return rows.some(({ failed }) => failed > 0) ? 1 : 0;
}

/** Without words: every part but those that take too long. */
function isAskedFor(name, part, asked) {
  return asked.length === 0 ? part.onlyByName !== true : asked.includes(name);
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    if (signal === 'SIGTERM') for (const child of running) child.kill('SIGTERM');
  });
}
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof BootstrapError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
