#!/usr/bin/env node
/**
 * `npm run fuzz [-- --seed N] [--factor N] [-t name] [test files…]`: the property tests with more cases, and with
 * another seed than the fixed one of `npm test`. The seed is printed: the same seed finds the same failure.
 *
 * `npm run fuzz -- --guided [--target name] [--seconds N] [--seed N]`: texts of strangers, guided by the code that they
 * reach (bin/fuzz-guided.ts).
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureNodeModules } from './bootstrap.mjs';
import { LAUNCH_EXIT_CODES } from './launch-error.mjs';

const projectDir = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const MAX_SEED = 2 ** 31;

const { values, positionals } = readArguments();
const seed = values.seed ?? String(randomInt(MAX_SEED));
const wrong = [
  ...(/^\d{1,10}$/.test(seed) && Number(seed) < MAX_SEED ? [] : [`--seed ${seed}: want 0 … ${MAX_SEED - 1}`]),
  ...(/^[1-9]\d{0,3}$/.test(values.factor) ? [] : [`--factor ${values.factor}: want 1 … 9999`]),
  ...positionals.flatMap((path) => describeWrongPath(path)),
  ...(/^[1-9]\d{0,5}$/.test(values.seconds) ? [] : [`--seconds ${values.seconds}: want 1 … 999999`]),
];
if (wrong.length > 0) {
  process.stderr.write(`${wrong.join('\n')}\n`);
  process.exit(LAUNCH_EXIT_CODES.usage);
}

/** @returns the flags; ends the process as a wrong command line does when a flag is unknown */
function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: 'string' },
        factor: { type: 'string', default: '10' },
        testNamePattern: { type: 'string', short: 't' },
        guided: { type: 'boolean', default: false },
        target: { type: 'string', default: '' },
        seconds: { type: 'string', default: '60' },
      },
    });
  } catch (error) {
    process.stderr.write(
      `${error.message}\nexample: npm run fuzz -- --seed 7 test/unit/judge/verdict/judge-cell.test.ts\n`,
    );
    process.exit(LAUNCH_EXIT_CODES.usage);
  }
}

/** @returns what is wrong with a path of tests; vitest would print its configuration */
function describeWrongPath(path) {
  const inProject = relative(projectDir, path);
  if (!existsSync(path)) return [`${path}: there is no such file or folder`];
  const hasTests = path.endsWith('.test.ts') || statSync(path).isDirectory();
  return hasTests && inProject.startsWith('test/unit')
    ? []
    : [`${path}: want a test, or a folder of tests, of test/unit`];
}

await ensureNodeModules(projectDir);
const again = values.guided
  ? `--guided${values.target === '' ? '' : ` --target ${values.target}`} --seconds ${values.seconds}`
  : `--factor ${values.factor}`;
process.stdout.write(`again with: npm run fuzz -- --seed ${seed} ${again}\n`);
const guided = ['--import', 'tsx', join(projectDir, 'bin/fuzz-guided.ts')];
const child = spawn(
  process.execPath,
  values.guided
    ? [...guided, '--seed', seed, '--seconds', values.seconds, '--target', values.target]
    : [
        join(projectDir, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--project',
        'unit*',
        ...(values.testNamePattern === undefined ? [] : ['-t', values.testNamePattern]),
        ...positionals,
      ],
  {
    cwd: projectDir,
    stdio: 'inherit',
    env: { ...process.env, WHODUNIT_FUZZ_SEED: seed, WHODUNIT_FUZZ_FACTOR: values.factor },
  },
);
child.once('close', (status) => {
  process.exitCode = status ?? 1;
});
