import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findEatenFlags, LAB_FLAGS } from '../../../../bin/eaten-flags.mjs';
import { buildProgram, runCommandLine } from '../../../../lab/commands/line/command-line.ts';
import { createContext, type Context } from '../../../../lab/commands/context/context.ts';
import { FLAGS } from '../../../../lab/commands/context/flags.ts';
import { VERBS } from '../../../../lab/commands/line/verbs.ts';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import { acquireLock } from '../../../../lab/drivers/claims/lock.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { createCell, createRunOf } from '../../report/made-run.ts';

const FROM_NPM = { npm_lifecycle_event: 'lab' };

describe('verbs', () => {
  it('are all importable under the name that the command line calls', async () => {
    for (const verb of VERBS) expect(await verb.load(), verb.name).toBeTypeOf('function');
  });

  it('end their help with examples', () => {
    for (const verb of VERBS) {
      let help = '';
      const program = buildProgram({ print: (text) => (help += text) }, () => Promise.resolve());
      expect(() => program.parse([verb.name, '--help'], { from: 'user' })).toThrow();
      const examples = verb.examples.map((line) => `\n  ${line}`).join('');
      expect(help.trimEnd().endsWith(`Examples:${examples}`), verb.name).toBe(true);
      expect(verb.examples.length, verb.name).toBeGreaterThan(0);
    }
  });
});

/** One command line of every verb that changes the state folder. */
const CHANGING = [
  ['up'],
  ['down', 'default'],
  ['run', 'plain-exit'],
  ['repro', 'driver-mismatch-kill-loop'],
  ['prove', 'oom-single-container'],
  ['gc'],
  ['bake'],
  ['cache', 'prune'],
  ['gate', 'plain-exit', '--for', 'runc', '--record', 'base.json'],
  ['bisect', 'default/plain-exit', '--axis', 'kernel', '--good', '5.10@bullseye', '--bad', '7.2@sid'],
  ['difference', 'v1/plain-exit', 'default/plain-exit'],
];

describe('verbs that change the state folder', () => {
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'whodunit-verbs-'));
    mkdirSync(statePaths(home).world('default').dir, { recursive: true });
    const { run, ...result } = createRunOf([createCell('oom-single-container')]);
    const paths = statePaths(home).run(run);
    mkdirSync(paths.dir, { recursive: true });
    writeFileSync(paths.result, JSON.stringify({ run, ...result }));
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  it('are those that have --no-wait', () => {
    // `shard bake` first wants a plan.
    const flagged = VERBS.filter(({ name, flags }) => 'wait' in flags && name !== 'shard').map(
      ({ name }) => name,
    );
    expect(CHANGING.map(([name]) => name).sort()).toEqual(flagged.sort());
  });

  it.each(CHANGING.map((words) => [words.join(' '), words] as const))(
    '%s ends at once with --no-wait while another lab uses it',
    async (_, words) => {
      const lock = await acquireLock(statePaths(home).lock, systemClock, 'whodunit run');
      const context = idleContext(home);
      await expect(runCommandLine(context, [...words, '--no-wait'])).rejects.toMatchObject({
        code: 'LAB_BUSY',
      });
      lock.release();
    },
  );
});

/** A context that starts no program, downloads nothing, says nothing, and does not wait. */
function idleContext(home: string): Context {
  const refuse = (): Promise<never> => Promise.reject(new Error('nothing is to be started'));
  return {
    ...createContext(AbortSignal.abort(), { WHODUNIT_HOME: home }),
    progress: { step: refuse, note: () => undefined },
    run: refuse,
    download: refuse,
    print: () => undefined,
    printPage: () => undefined,
    printTable: () => undefined,
    printJson: () => undefined,
  };
}

describe('a flag', () => {
  it('is called in the code as commander calls it, and belongs to a verb', () => {
    for (const [name, spelled] of Object.entries(FLAGS)) {
      expect(new Option(spelled).attributeName()).toBe(name);
      // The project is chosen before there is a verb.
      if (name !== 'project') expect(VERBS.some((verb) => name in verb.flags)).toBe(true);
    }
  });
});

describe('flags that npm eats', () => {
  it('are known for every flag of every verb', () => {
    const flags = Object.values(FLAGS).map((flag) => new Option(flag));
    const declared = new Map(flags.map(({ long, required }) => [long?.slice(2), required]));
    for (const [name, takesValue] of declared) expect(LAB_FLAGS[String(name)], name).toBe(takesValue);
    for (const name of Object.keys(LAB_FLAGS))
      expect(declared.has(name), `${name} is no flag of ours`).toBe(true);
  });

  it('are told with the line that works', () => {
    const env = { ...FROM_NPM, npm_config_keep: 'true', npm_config_json: 'true' };
    expect(findEatenFlags(env, ['up', 'default'])?.line).toBe('npx whodunit up default --keep --json');
    expect(findEatenFlags({ ...FROM_NPM, npm_config_run: '0412' }, ['why', 'a/b[x=1]'])?.line).toBe(
      "npx whodunit why 'a/b[x=1]' --run=0412",
    );
    expect(findEatenFlags({ ...FROM_NPM, npm_config_wait: '' }, ['run'])?.line).toBe(
      'npx whodunit run --no-wait',
    );
  });

  it('are told without a line when npm has not said what it was', () => {
    // --seed 5
    expect(findEatenFlags({ ...FROM_NPM, npm_config_seed: 'true' }, ['list', '5'])).toEqual({
      flags: ['--seed'],
    });
    // --dry-run=client
    const env = { ...FROM_NPM, npm_config_dry_run: 'true' };
    expect(findEatenFlags(env, ['kubectl', 'delete', 'pod', 'x', 'client'])).toEqual({
      flags: ['--dry-run'],
    });
  });

  it('are seen whatever they are, of verbs with flags of other programs', () => {
    // -A -f
    const env = { ...FROM_NPM, npm_config_a: 'true', npm_config_force: 'true', npm_config_yes: '' };
    for (const verb of ['kubectl', 'logs', 'shell'])
      expect(findEatenFlags(env, [verb, 'x']), verb).toEqual({ flags: ['-a', '--force'] });
    expect(findEatenFlags(env, ['list', 'x'])).toBeUndefined();
  });

  it('are not suspected when we got them, without npm, or when npm says no', () => {
    expect(findEatenFlags({ ...FROM_NPM, npm_config_json: 'true' }, ['list', '--json'])).toBeUndefined();
    expect(findEatenFlags({ npm_config_json: 'true' }, ['list'])).toBeUndefined();
    expect(
      findEatenFlags({ ...FROM_NPM, npm_config_json: '', npm_config_all: 'false' }, ['list']),
    ).toBeUndefined();
  });
});
