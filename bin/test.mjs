#!/usr/bin/env node
/**
 * `npm test [-- parts or paths of tests…] [-t name]`. Without words: format, lint, types and unit tests, reports in a
 * browser, then the host is made ready for the cli and lab tests. The end is a table, what failed, and the
 * plain line `N passed, N failed`. A check counts as one test. A part that crashes counts as failed. The parts
 * `nightly` and `captures` run only when they are named, and a path runs in the part that has this test.
 */
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BootstrapError, ensureNodeModules } from './bootstrap.mjs';
import { ensureBrowser } from './ensure-browser.mjs';
import { findTests, readTestWords } from './find-tests.mjs';
import { readTestReport, renderTestTotals } from './test-report.mjs';

const projectDir = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const modules = join(projectDir, 'node_modules');
/** Ctrl-C reaches the whole terminal group: the part ends by itself and cleans up, we only wait for it. */
let interrupted = false;
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** One part of the tests: the programs to run, or the project of vitest. Programs that only read run side by side. */
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
    programs: [[], ['-p', 'lab/autopsy/browser']].map((project) => [
      join(modules, 'typescript/bin/tsc'),
      '--noEmit',
      ...project,
    ]),
  },
  // Its tests are two projects of vitest: those that put another module in place of one of ours are by themselves.
  unit: { vitest: 'unit*' },
  report: { vitest: 'report', prepare: ensureBrowser },
  // Makes the host ready for the next two parts: installs what is missing, as `whodunit up` does.
  host: { programs: [[join(projectDir, 'bin/whodunit.mjs'), 'doctor', '--fix']] },
  cli: { vitest: 'cli' },
  lab: { vitest: 'lab' },
  nightly: { vitest: 'nightly', onlyByName: true },
  // `npm test` draws some of the captures for tests that judge each of them many times. These are all of them.
  captures: {
    vitest: 'unit*',
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
function run(args, { env = {}, onOutput } = {}) {
  return new Promise((done) => {
    const output = onOutput === undefined ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, args, {
      cwd: projectDir,
      stdio: ['inherit', output, output],
      env: { ...process.env, ...env },
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
 */
async function runSideBySide(names) {
  const startedAt = Date.now();
  const checks = names.flatMap((name) =>
    PARTS[name].programs.map((program) => ({ name, program, output: [] })),
  );
  const waiting = [...checks];
  const rows = [];
  const work = async () => {
    while (waiting.length > 0 && !interrupted) {
      const check = waiting.shift();
      check.status = await run(check.program, {
        env: COLOURS,
        onOutput: (chunk) => check.output.push(chunk),
      });
      const own = checks.filter(({ name }) => name === check.name);
      if (own.some(({ status }) => status === undefined)) continue;
      const output = own.flatMap((one) => one.output);
      process.stdout.write(Buffer.concat([Buffer.from(`\n== ${check.name}\n`), ...output]));
      rows.push({ name: check.name, ...countChecks(own), seconds: secondsSince(startedAt) });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return rows.sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
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
    const status = await run(words, { env: part.env });
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
      exitCode: 2,
    });
  }
  await ensureNodeModules(projectDir);
  const tested = Object.keys(PARTS).filter((name) => 'vitest' in PARTS[name]);
  const chosen = await findTests(projectDir, paths, tested);
  const beside = Object.keys(PARTS).filter((name) => names.includes(PARTS[name].with));
  const asked = [...names, ...beside, ...chosen.keys()];
  const parts = Object.entries(PARTS).filter(([name, part]) => isAskedFor(name, part, asked));
  const reading = parts.filter(([, part]) => part.onlyReads === true).map(([name]) => name);
  const rows = await runSideBySide(reading);
  for (const [name, part] of parts) {
    if (interrupted || reading.includes(name)) continue;
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
      exitCode: 2,
    });
  process.stdout.write(renderTestTotals(rows));
  if (interrupted) return 130;
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
