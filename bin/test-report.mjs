/** What one part of `npm test` found, and what is printed of it at the end. Node built-ins only. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** How many of the slowest tests are named, and how long a test takes that is worth a line. */
const SHOWN_SLOW = 10;
const SLOW_SECONDS = 0.05;
/** How many tests of each list are named; the rest is counted. */
const SHOWN_NAMED = 20;

/**
 * @typedef {{ name: string, why: string }} Failure
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly Failure[]} failures one for each that failed
 * @property {readonly Failure[]} [repeated] one for each that passed when it was run again
 * @property {readonly { name: string, seconds: number }[]} [tests]
 */

/**
 * Counts of vitest's JSON report; files that could not be loaded and crashes are failures too.
 *
 * @param {string} path of the report, which is missing after a crash
 * @param {number} status exit status of vitest
 * @param {string} projectDir paths of tests are said relative to it
 * @returns {Counts}
 */
export function readTestReport(path, status, projectDir) {
  let report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    const failures = [{ name: 'vitest', why: `it ended with ${status} and without a report` }];
    return { passed: 0, failed: 1, skipped: 0, failures };
  }
  const files = report.testResults.map((file) => ({ ...file, name: relative(projectDir, file.name) }));
  const failures = files.flatMap(listFailures);
  // An error outside of all tests, such as a rejected promise that nobody awaits.
  if (status !== 0 && failures.length === 0)
    failures.push({ name: 'vitest', why: `it ended with ${status}, though no test failed` });
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
    failures,
    repeated: files.flatMap(listRepeated),
    tests: files.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, duration }) => ({
        name: `${name} > ${fullName}`,
        seconds: (duration ?? 0) / 1000,
      })),
    ),
  };
}

/** A file that failed without a failed test could not be loaded, or a hook of it failed. */
function listFailures({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [{ name, why: firstLine(message) }] : [];
  return failed.map((test) => sayWhy(name, test));
}

/** A test that passed and has a failure was run again. */
function listRepeated({ name, assertionResults }) {
  return assertionResults
    .filter(({ status, failureMessages = [] }) => status === 'passed' && failureMessages.length > 0)
    .map((test) => sayWhy(name, test));
}

function sayWhy(file, { fullName, failureMessages }) {
  return { name: `${file} > ${fullName}`, why: firstLine(failureMessages[0]) };
}

function firstLine(text = '') {
  return text.split('\n').find((line) => line.trim() !== '') ?? 'no message';
}

/**
 * The end of `npm test`. The failures are named once more near the last line: whoever has only the end of a long log
 * still reads what failed.
 *
 * @param {readonly (Counts & { name: string, seconds: number })[]} rows one for each part
 */
export function renderTestTotals(rows) {
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  const columns = (cells) => cells.map((cell) => String(cell).padStart(8)).join('');
  const table = [
    `${'part'.padEnd(8)}${columns(['passed', 'failed', 'skipped'])}`,
    ...rows.map(
      ({ name, passed, failed, skipped, seconds }) =>
        `${name.padEnd(8)}${columns([passed, failed, skipped])}  ${seconds.toFixed(1).padStart(8)} s`,
    ),
  ];
  const skipped = sum('skipped') > 0 ? [`${sum('skipped')} skipped`] : [];
  const blocks = [
    table,
    listSlowest(rows.flatMap(({ tests = [] }) => tests)),
    nameTests(
      'passed when it was run again',
      rows.flatMap(({ repeated = [] }) => repeated),
    ),
    nameTests(
      'failed',
      rows.flatMap(({ failures }) => failures),
    ),
    skipped,
    [`${sum('passed')} passed, ${sum('failed')} failed`],
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => `\n${block.join('\n')}\n`)
    .join('');
}

function listSlowest(tests) {
  const slow = tests.filter(({ seconds }) => seconds >= SLOW_SECONDS);
  if (slow.length === 0) return [];
  const slowest = slow.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN_SLOW);
  return ['slowest', ...slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}`)];
}

function nameTests(what, tests) {
  if (tests.length === 0) return [];
  const shown = tests.slice(0, SHOWN_NAMED).flatMap(({ name, why }) => [`  ${name}`, `    ${why}`]);
  const hidden = tests.length - SHOWN_NAMED;
  return [what, ...shown, ...(hidden > 0 ? [`  and ${hidden} more`] : [])];
}
