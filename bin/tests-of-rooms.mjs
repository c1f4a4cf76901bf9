/** Which tests belong to a file. Node built-ins only. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Folders with code that tests belong to. */
const TESTED = ['lab', 'provision', 'stacks'];

/**
 * Rooms and files whose tests are not where the folders are mirrored, by path, with the paths of their tests. A row for
 * a room counts for the rooms inside.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const TESTS_ELSEWHERE = {
  'lab/cli.ts': ['test/cli/ctrl-c.test.ts', 'test/cli/usage.test.ts'],
  'lab/autopsy/browser': ['test/report/autopsy-page.test.ts'],
  'lab/case/candidates': ['test/unit/case/answer.test.ts'],
  'lab/case/search': ['test/unit/case/answer.test.ts', 'test/cli/asking.test.ts'],
  'lab/case/variant': ['test/unit/case/answer.test.ts'],
  'lab/commands/gating': ['test/cli/gate'],
  'lab/commands/output': ['test/unit/report/markdown/render-github.test.ts', 'test/cli/github.test.ts'],
  'lab/commands/sharding': ['test/cli/sharding'],
  'lab/commands/verbs': ['test/cli'],
  'lab/commands/verbs/mcp': ['test/cli/mcp.test.ts'],
  'lab/drivers/kubernetes': ['test/unit/drivers/files/evidence-file.test.ts', 'test/lab/main-path.test.ts'],
  'lab/drivers/remote': ['test/cli/remote'],
  'lab/evidence/bundle/redact-bundle.ts': ['test/unit/commands/saved/save-autopsy.test.ts'],
  'lab/evidence/bundle/redact-objects.ts': ['test/unit/commands/saved/save-autopsy.test.ts'],
  'lab/judge/verdict/expectations.ts': ['test/unit/judge/verdict/judge-cell.test.ts'],
  'lab/library': ['test/cli/packed.test.ts'],
  'lab/model/host': ['test/unit/project/environment.test.ts'],
  'lab/model/limits': ['test/unit/project/time-limits.test.ts'],
  'lab/model/measures': ['test/unit/judge/measures', 'test/unit/plan/check/check-measures.test.ts'],
  'lab/model/saved': ['test/unit/project/schemas-of-files.test.ts', 'test/cli/saved-runs.test.ts'],
  'lab/report/manifests': ['test/cli/sharding'],
  'lab/report/page/browser': ['test/report'],
  'lab/world/derive/add-workers.ts': [
    'test/unit/world/steps/join-workers.test.ts',
    'test/lab/main-path.test.ts',
  ],
  'provision/guest/steps': ['test/lab/main-path.test.ts'],
  'provision/guest/witness': ['test/lab/go-programs.test.ts'],
  'provision/kubernetes-api': ['test/unit/provision/components/openapi.test.ts'],
  'provision/licenses': ['test/cli/components/sbom.test.ts'],
  'provision/registry/server': ['test/lab/registry.test.ts'],
  'provision/scenario-programs': ['test/lab/go-programs.test.ts'],
  'provision/workloads': ['test/lab/go-programs.test.ts'],
  'stacks/libvirt': ['test/cli/domain-xml.test.ts', 'test/lab/stack.test.ts'],
  'stacks/provider': ['test/lab/stack.test.ts'],
};

/**
 * Tests of unit that ask something of many rooms at once.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const TESTS_OF_MANY = {
  'test/unit/check/independence.test.ts': 'the checker imports nothing of the judge',
  'test/unit/evidence/growth.test.ts': 'evidence of any length is read',
  'test/unit/judge/captures.test.ts': 'every capture has the verdict that is written beside it',
  'test/unit/judge/cut-sources.test.ts': 'a source that ends early changes no killer into another one',
  'test/unit/judge/deaths.test.ts': 'deaths of containers beside the victim',
  'test/unit/judge/judged-cases.test.ts': 'cells that were judged by hand',
  'test/unit/judge/killer/new-killer.test.ts': 'what a new killer needs',
  'test/unit/judge/mutants.test.ts': 'changed evidence changes the verdict, or leaves it open',
  'test/unit/judge/properties.test.ts': 'what holds of every verdict',
  'test/unit/judge/taken-pairs.test.ts':
    'two or three sources that are missing change no killer into another one',
  'test/unit/judge/taken-sources.test.ts': 'a source that is missing changes no killer into another one',
  'test/unit/judge/time-cuts.test.ts': 'a cell that is cut off at any time',
  'test/unit/judge/told-stories.test.ts': 'made-up stories of each killer',
  'test/unit/judge/weighed-stories.test.ts': 'how sure such a story is',
  'test/unit/provision/cache/keys.test.ts': 'keys of the cache stay what they were',
  'test/unit/report/markdown/markdown-forged.test.ts': 'no text of a stranger is an element of Markdown',
};

/**
 * The tests of a file or a room: those of its name at the same place below `test/unit/`, else those of the table, else
 * those of its room.
 *
 * @param {string} projectDir
 * @param {string} path relative to the project
 * @returns {string[]} paths of tests and of folders of tests; none where the path is none of a tested room
 */
export function testsOf(projectDir, path) {
  if (!TESTED.includes(path.split('/')[0]) || !existsSync(join(projectDir, path))) return [];
  const isFolder = statSync(join(projectDir, path)).isDirectory();
  const named = isFolder ? [] : testsNamedAs(projectDir, path);
  return named.length > 0 ? named : testsOfRoom(projectDir, path, isFolder);
}

function testsOfRoom(projectDir, path, isFolder) {
  const row = TESTS_ELSEWHERE[path];
  if (row !== undefined) return [...row];
  const mirror = mirrorOf(path);
  if (isFolder) {
    if (existsSync(join(projectDir, mirror))) return [mirror];
    if (existsSync(join(projectDir, `${mirror}.test.ts`))) return [`${mirror}.test.ts`];
  }
  return path.includes('/') ? testsOfRoom(projectDir, dirname(path), true) : [];
}

/** `oom.test.ts` and `oom-by-hand.test.ts` belong to `oom.ts`, but `oom-texts.test.ts` to `oom-texts.ts`. */
function testsNamedAs(projectDir, path) {
  const stem = stemOf(path);
  const mirror = dirname(path) === 'lab/commands/verbs' ? 'test/cli' : mirrorOf(dirname(path));
  const rivals = readdirSync(join(projectDir, dirname(path)))
    .map(stemOf)
    .filter((name) => name.startsWith(`${stem}-`));
  return listTests(join(projectDir, mirror))
    .filter((name) => isNamedAs(name, stem) && !rivals.some((rival) => isNamedAs(name, rival)))
    .map((name) => join(mirror, `${name}.test.ts`));
}

/**
 * Whether a test is named after a file or a folder.
 *
 * @param {string} test without `.test.ts`
 * @param {string} name without its ending
 */
export function isNamedAs(test, name) {
  return test === name || test.startsWith(`${name}-`);
}

/** @param {string} path of a file, @returns {string} its name up to the first dot */
export function stemOf(path) {
  return basename(path).split('.')[0];
}

function listTests(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => name.slice(0, -'.test.ts'.length));
}

/** Where the tests of a room are: unit tests mirror the folders, without `lab/`. */
function mirrorOf(path) {
  return join('test/unit', path.replace(/^lab(?:\/|$)/, ''));
}
