#!/usr/bin/env node
/**
 * `npm test [-- parts…]`: format, lint, types and unit tests, reports in a browser, then the host made ready, cli and
 * lab tests. It ends with a table and the plain line `N passed, N failed`. A check counts as one test; a part that
 * crashes counts as failed. The part `nightly` runs only when it is named.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BootstrapError, ensureNodeModules } from './bootstrap.mjs';
import { ensureBrowser } from './ensure-browser.mjs';

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
  types: { programs: [[join(modules, 'typescript/bin/tsc'), '--noEmit']] },
  unit: { vitest: 'unit' },
  report: { vitest: 'report', prepare: ensureBrowser },
  // Makes the host ready for the next two parts: installs what is missing, as `whodunit up` does.
  host: { programs: [[join(projectDir, 'bin/whodunit.mjs'), 'doctor', '--fix']] },
  cli: { vitest: 'cli' },
  lab: { vitest: 'lab' },
  nightly: { vitest: 'nightly', onlyByName: true },
};

/** @returns {Promise<number>} the exit status; a signal counts as a crash */
function run(args) {
  return new Promise((done) => {
    running = spawn(process.execPath, args, { cwd: projectDir, stdio: 'inherit' });
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

async function runVitest(part) {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-test-'));
  const report = join(folder, 'report.json');
  try {
    const status = await run([
      join(modules, 'vitest/vitest.mjs'),
      'run',
      '--project',
      part.vitest,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ]);
    return countReport(report, status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many of the slowest tests are named. */
const SHOWN_SLOW = 10;

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

async function main(names) {
  const unknown = names.filter((name) => !(name in PARTS));
  if (unknown.length > 0) {
    const parts = Object.keys(PARTS).join(', ');
    throw new BootstrapError(
      `error LAB_USAGE: no part is called ${unknown.join(', ')}\n  try: one of ${parts}`,
      2,
    );
  }
  await ensureNodeModules(projectDir);
  const rows = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (interrupted || !isAskedFor(name, part, names)) continue;
    process.stdout.write(`\n== ${name}\n`);
    const startedAt = Date.now();
    part.prepare?.();
    const counts = 'vitest' in part ? await runVitest(part) : await runChecks(part);
    rows.push({ name, ...counts, seconds: (Date.now() - startedAt) / 1000 });
  }
  return printTotals(rows);
}

/** Without names: every part but those that take too long. */
function isAskedFor(name, part, names) {
  return names.length === 0 ? part.onlyByName !== true : names.includes(name);
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
  printSlowest(rows.flatMap(({ tests = [] }) => tests));
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
