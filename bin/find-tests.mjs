/**
 * Which tests the words of `npm test` choose. Node built-ins only, but for the search for the nearest path: the node
 * modules are there when that runs.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { BootstrapError } from './bootstrap.mjs';
import { LAUNCH_EXIT_CODES } from './launch-error.mjs';
import { testsOf } from './tests-of-rooms.mjs';

const TEST_NAME_FLAG = /^(?:-t|--testNamePattern)(?:=(.*))?$/s;

/**
 * Sorts the words of `npm test`: names of parts, paths of tests, and the name that the tests to run must have. Only a
 * word with a slash or a dot is a path. Anything else is the name of a part, whether there is one or not.
 *
 * @param {readonly string[]} words
 * @returns {{ names: string[], paths: string[], testName?: string }}
 */
export function readTestWords(words) {
  const names = [];
  const paths = [];
  let testName;
  for (let at = 0; at < words.length; at += 1) {
    const flag = TEST_NAME_FLAG.exec(words[at]);
    if (flag !== null) {
      testName = flag[1] ?? words[(at += 1)];
      if (testName === undefined)
        throw new BootstrapError('LAB_USAGE', '-t needs the name of a test', {
          exitCode: LAUNCH_EXIT_CODES.usage,
        });
    } else if (/^[^-].*[/.]|^[/.]/.test(words[at])) paths.push(words[at]);
    else names.push(words[at]);
  }
  if (testName !== undefined && names.length + paths.length === 0) {
    throw new BootstrapError('LAB_USAGE', '-t needs the path of a test or the name of a part, too', {
      exitCode: LAUNCH_EXIT_CODES.usage,
    });
  }
  return { names, paths, testName };
}

/**
 * Finds the part of each path, which is a test, a folder of tests, or code whose tests are meant.
 *
 * @param {string} projectDir
 * @param {readonly string[]} paths relative to the project, or absolute
 * @param {readonly string[]} parts those with tests that are files below `test/<part>/`
 * @returns {Promise<Map<string, string[]>>} for each part the paths in it, relative to the project
 * @throws {BootstrapError} for a path where no test is, with the nearest one that is there
 */
export async function findTests(projectDir, paths, parts) {
  const found = new Map();
  if (paths.length === 0) return found;
  const tests = parts.flatMap((part) => listTests(projectDir, join('test', part)));
  const folders = new Set(tests.map((test) => dirname(test)));
  const inProject = paths.map((path) => relative(projectDir, resolve(projectDir, path)));
  for (const wanted of new Set(inProject.flatMap((path) => nameTests(projectDir, path)))) {
    const isFolder = tests.some((test) => test.startsWith(`${wanted}/`)) && wanted.split('/').length > 1;
    if (!isFolder && !tests.includes(wanted)) {
      const nearest = await findNearest(wanted, wanted.endsWith('.ts') ? tests : [...folders, ...tests]);
      throw new BootstrapError('LAB_USAGE', `no test is at ${wanted}, the nearest is ${nearest}`, {
        exitCode: LAUNCH_EXIT_CODES.usage,
      });
    }
    const part = wanted.split('/')[1];
    found.set(part, [...(found.get(part) ?? []), isFolder ? `${wanted}/` : wanted]);
  }
  return found;
}

/** The tests that belong to a path of code, said in one line; a path of a test stays as it is. */
function nameTests(projectDir, path) {
  const tests = testsOf(projectDir, path);
  if (tests.length === 0) return [path];
  process.stdout.write(`tests of ${path}: ${tests.join(' ')}\n`);
  return tests;
}

function listTests(projectDir, folder) {
  const dir = join(projectDir, folder);
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(folder, path));
}

/** The path whose last name is nearest; of several such, the one that is nearest as a whole. */
async function findNearest(wanted, paths) {
  const { distance } = await import('fastest-levenshtein');
  const nameOf = (path) => basename(path).replace(/(?:\.test)?\.ts$/, '');
  const ranked = paths
    .map((path) => ({ path, name: distance(nameOf(path), nameOf(wanted)), whole: distance(path, wanted) }))
    .sort((a, b) => a.name - b.name || a.whole - b.whole);
  return ranked[0].path;
}
