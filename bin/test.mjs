#!/usr/bin/env node
/**
 * `npm test [-- parts or paths of tests…] [-t name]`. Without words: format, lint, types and unit tests, reports in a
 * browser, then the host is made ready for the cli and lab tests. The end is a table and the plain line
 * `N passed, N failed`. A check counts as one test. A part that crashes counts as failed. The parts
 * `nightly` and `captures` run only when they are named, and a path runs in the part that has this test.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BootstrapError, ensureNodeModules } from './bootstrap.mjs';
import { ensureBrowser } from './ensure-browser.mjs';
import { findTests, readTestWords } from './find-tests.mjs';

const projectDir = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const modules = join(projectDir, 'node_modules');
/** Ctrl-C reaches the whole terminal group: the part ends by itself and cleans up, we only wait for it. */
let interrupted = false;
/** @type {import('node:child_process').ChildProcess | undefined} */
let running;

/** One part of the tests: the programs to run, or the project of vitest. */
const PARTS = {
  format: { programs: [[join(modules, 'prettier/bin/prettier.cjs'), '--check', '.']] },
  lint: {
    programs: [
      [join(modules, 'eslint/bin/eslint.js'), '.'],
      [join(modules, 'knip/bin/knip.js'), '--no-progress'],
    ],
  },
  types: {
    programs: [[], ['-p', 'lab/autopsy/browser']].map((project) => [
      join(modules, 'typescript/bin/tsc'),
      '--noEmit',
      ...project,
    ]),
  },
  unit: { vitest: 'unit' },
  report: { vitest: 'report', prepare: ensureBrowser },
  // Makes the host ready for the next two parts: installs what is missing, as `whodunit up` does.
  host: { programs: [[join(projectDir, 'bin/whodunit.mjs'), 'doctor', '--fix']] },
  cli: { vitest: 'cli' },
  lab: { vitest: 'lab' },
  nightly: { vitest: 'nightly', onlyByName: true },
  // `npm test` draws some of the captures for tests that judge each of them many times. These are all of them.
  captures: {
    vitest: 'unit',
    paths: ['test/unit/judge/', 'test/unit/evidence/'],
    env: { WHODUNIT_FUZZ_FACTOR: '4' },
    onlyByName: true,
    with: 'nightly',
  },
};

/** Parts that draw what they test, and by which seed where nobody chooses one (test/fixtures/properties.ts). */
const DRAWING = ['unit', 'captures'];
const SEED = process.env.WHODUNIT_FUZZ_SEED ?? '20261121';

/** @returns {Promise<number>} the exit status; a signal counts as a crash */
function run(args, env = {}) {
  return new Promise((done) => {
    running = spawn(process.execPath, args, {
      cwd: projectDir,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    });
    running.once('error', () => done(1));
    running.once('close', (status) => done(status ?? 1));
  });
}

/** Each program is one check; all of them run, whatever the first one finds. */
async function runChecks(part) {
  let passed = 0;
  let failed = 0;
  for (const program of part.programs) {
    if (interrupted) break;
    if ((await run(program)) === 0) passed += 1;
    else failed += 1;
  }
  return { passed, failed, skipped: 0 };
}

/** @param {readonly string[]} paths only these tests, @param {string} [testName] only tests of this name */
async function runVitest(part, paths, testName) {
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
      ...paths,
    ];
    const status = await run(words, part.env);
    return countReport(report, status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many of the slowest tests are named, and how long a test takes that is worth a line. */
const SHOWN_SLOW = 10;
const SLOW_SECONDS = 0.05;

/** Counts of vitest's JSON report; files that could not be loaded and crashes are failures too. */
function countReport(path, status) {
  let report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }; // vitest ended without a report: it crashed
  }
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  const failed = report.numFailedTests + broken;
  return {
    passed: report.numPassedTests,
    failed: status !== 0 && failed === 0 ? 1 : failed,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
    tests: report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, duration }) => ({
        name: `${relative(projectDir, name)} > ${fullName}`,
        seconds: (duration ?? 0) / 1000,
      })),
    ),
  };
}

async function main(words) {
  const { names, paths, testName } = readTestWords(words);
  const unknown = names.filter((name) => !(name in PARTS));
  if (unknown.length > 0) {
    const parts = Object.keys(PARTS).join(', ');
    throw new BootstrapError('LAB_USAGE', `no part is called ${unknown.join(', ')}\n  try: one of ${parts}`, {
      exitCode: 2,
    });
  }
  await ensureNodeModules(projectDir);
  const tested = Object.keys(PARTS).filter((name) => 'vitest' in PARTS[name]);
  const chosen = await findTests(projectDir, paths, tested);
  const beside = Object.keys(PARTS).filter((name) => names.includes(PARTS[name].with));
  const asked = [...names, ...beside, ...chosen.keys()];
  const rows = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (interrupted || !isAskedFor(name, part, asked)) continue;
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
        : await runChecks(part);
    rows.push({ name, ...counts, seconds: (Date.now() - startedAt) / 1000 });
  }
  if (!interrupted && testName !== undefined && rows.every(({ passed, failed }) => passed + failed === 0))
    throw new BootstrapError('LAB_USAGE', `no test there has a name that matches ${testName}`, {
      exitCode: 2,
    });
  return printTotals(rows);
}

/** Without words: every part but those that take too long. */
function isAskedFor(name, part, asked) {
  return asked.length === 0 ? part.onlyByName !== true : asked.includes(name);
}

function printTotals(rows) {
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  const columns = (row) => [row.passed, row.failed, row.skipped].map((n) => String(n).padStart(8)).join('');
  process.stdout.write(
    `\n${'part'.padEnd(8)}${['passed', 'failed', 'skipped'].map((n) => n.padStart(8)).join('')}\n`,
  );
  for (const row of rows) {
    process.stdout.write(`${row.name.padEnd(8)}${columns(row)}  ${row.seconds.toFixed(1).padStart(8)} s\n`);
  }
  printSlowest(rows.flatMap(({ tests = [] }) => tests).filter(({ seconds }) => seconds >= SLOW_SECONDS));
  if (sum('skipped') > 0) process.stdout.write(`\n${sum('skipped')} skipped\n`);
  process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`);
  if (interrupted) return 130;
  return sum('failed') > 0 ? 1 : 0;
}

function printSlowest(tests) {
  const slowest = tests.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN_SLOW);
  if (slowest.length === 0) return;
  process.stdout.write(`\nslowest\n`);
  for (const { name, seconds } of slowest)
    process.stdout.write(`${seconds.toFixed(1).padStart(8)} s  ${name}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    if (signal === 'SIGTERM') running?.kill('SIGTERM');
  });
}
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof BootstrapError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
