import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { autopsySchema } from '../../../lab/model/saved/autopsy.ts';
import { PROJECT, runCli } from '../support/run-cli.ts';

const PASTES = join(PROJECT, 'test/fixtures/pastes');
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-autopsy-'));
});
afterEach(() => rmSync(home, { recursive: true }));

interface Expected {
  readonly pod?: string;
  readonly container?: string;
  readonly want: readonly string[];
  readonly cap: 'likely' | 'proven';
  readonly mustSay: readonly string[];
}

/** What an expectation calls it, and the words of the answer. */
const SAYS: Readonly<Record<string, readonly RegExp[]>> = {
  'the OOM killer is excluded: as many kills counted as lines, none of it': [
    /\nexcluded\n(?: .*\n)* {2}an OOM kill of its first process: the kernel counted \d+ OOM kills of its node, its log has as many lines, and none is about it\n/,
  ],
  'the label alone proves nothing; the kernel log of the node would tell': [
    /^killer +unknown /m,
    /\nnot excluded\n(?: .*\n)* {2}an OOM kill of its first process: no kernel log of its node was given\n/,
    /^ {2}the kernel log \(dmesg\) of its node.*: decides an OOM kill of its first process$/m,
  ],
};

/** Nothing in these logs is proof of the killer that was there; the judge says so. */
const NOT_NAMED = ['p11-mismatch-journal'];

describe('whodunit autopsy', () => {
  it('prints Markdown for an issue, of the newest death or of all', async () => {
    const paste = join(PASTES, 'p01-oom-dmesg-T/input');
    const one = await runCli(home, ['autopsy', paste, '--markdown']);
    expect(one.stderr).toBe('');
    expect(one.stdout).toMatch(/^### `default\/eater\/eater, attempt 0`: memcg-oom .*, likely\n/);
    expect(one.stdout).toMatch(
      /^\| signal \| `.*dmesg\.txt:\d+` \| [\d:.]+ \| `Memory cgroup out of memory/m,
    );
    expect(one.status).toBe(0);
    const all = await runCli(home, ['autopsy', paste, '--markdown', '--list']);
    expect(all.stdout).toMatch(/^\| ended \| pod and container \| killer \|$/m);
    const both = await runCli(home, ['autopsy', paste, '--markdown', '--json']);
    expect(both.status).toBe(2);
  });

  it.each(readdirSync(PASTES))('answers %s, no more surely than its sources allow', async (name) => {
    const expected = JSON.parse(readFileSync(join(PASTES, name, 'expected.json'), 'utf8')) as Expected;
    const asked = [
      ...(expected.pod === undefined ? [] : ['--pod', expected.pod]),
      ...(expected.container === undefined ? [] : ['--container', expected.container]),
    ];
    const { status, stdout, stderr } = await runCli(home, [
      'autopsy',
      join(PASTES, name, 'input'),
      '--json',
      ...asked,
    ]);
    expect(stderr).toBe('');
    const { deaths, read, unknown } = autopsySchema.parse(JSON.parse(stdout));
    const { killer, confidence } = deaths[0]?.attribution ?? {};
    const isOpen = expected.want.length === 0 || NOT_NAMED.includes(name);
    expect(isOpen ? ['unknown'] : expected.want).toContain(killer);
    expect(status).toBe(killer === 'unknown' ? 3 : 0);
    if (expected.cap === 'likely') expect(confidence).not.toBe('proven');
    expect(unknown).toEqual([]);
    expect(read.length).toBeGreaterThan(0);
    for (const { file } of deaths[0]?.attribution.because ?? [])
      expect(file.startsWith(join(PASTES, name, 'input'))).toBe(true);
    if (expected.mustSay.length === 0) return;
    const text = await runCli(home, ['autopsy', join(PASTES, name, 'input'), ...asked]);
    for (const words of expected.mustSay) {
      expect(SAYS[words]).toBeDefined();
      for (const said of SAYS[words] ?? []) expect(text.stdout).toMatch(said);
    }
  });

  it('points to lines of the files that were given', async () => {
    const folder = join(PASTES, 'p07-oom-sos/input');
    const { stdout } = await runCli(home, ['autopsy', folder, '--pod', 'default/eater']);
    const [, line = ''] = /sos_commands\/kernel\/dmesg:(\d+) .*Killed process/.exec(stdout) ?? [];
    const dmesg = readFileSync(join(folder, 'sos_commands/kernel/dmesg'), 'utf8').split('\n');
    expect(dmesg[Number(line) - 1]).toContain('Killed process 1831');
  });

  it('reads standard input', () => {
    const input =
      readFileSync(join(PASTES, 'p05-eviction-api/input/events.yaml'), 'utf8') +
      readFileSync(join(PASTES, 'p05-eviction-api/input/pod.yaml'), 'utf8');
    const stdout = execFileSync(
      process.execPath,
      [join(PROJECT, 'bin/whodunit.mjs'), 'autopsy', '-', '--json'],
      {
        input,
        encoding: 'utf8',
        env: { ...process.env, WHODUNIT_HOME: home },
      },
    );
    const { deaths, read } = autopsySchema.parse(JSON.parse(stdout));
    expect(deaths.map(({ pod, attribution }) => [pod, attribution.killer])).toEqual([
      ['default/greedy', 'kubelet-eviction'],
    ]);
    expect(read.map(({ file }) => file)).toEqual(['(stdin)']);
  });

  it('lists every death that the input knows of, the newest first', async () => {
    const words = ['autopsy', join(PASTES, 'p02-oom-v1-kernlog/input'), '--list'];
    const { status, stdout } = await runCli(home, words);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /default\/eater\/eater, attempt 1 +memcg-oom.*\n.*default\/eater\/eater, attempt 0 +memcg-oom/,
    );
  });

  it('judges each death of a container that died several times, and says which others there are', async () => {
    const folder = join(PASTES, 'p02-oom-v1-kernlog/input');
    const all = await runCli(home, ['autopsy', folder, '--pod', 'eater']);
    expect(all.stdout).toContain('default/eater/eater, attempt 1');
    expect(all.stdout).toMatch(/earlier deaths of this container\n.*default\/eater\/eater, attempt 0/);
    const one = await runCli(home, ['autopsy', folder, '--pod', 'eater', '--attempt', '0', '--json']);
    expect(autopsySchema.parse(JSON.parse(one.stdout)).deaths.map(({ attempt }) => attempt)).toEqual([0]);
  });

  it('counts files that are no evidence, and follows no link', async () => {
    mkdirSync(join(home, 'bundle'));
    writeFileSync(join(home, 'bundle/README'), 'nothing of interest\n');
    symlinkSync('/proc/self/environ', join(home, 'bundle/link'));
    writeFileSync(
      join(home, 'bundle/pod.yaml'),
      readFileSync(join(PASTES, 'p05-eviction-api/input/pod.yaml')),
    );
    const { stdout } = await runCli(home, ['autopsy', join(home, 'bundle'), '--json']);
    const { read, unknown } = autopsySchema.parse(JSON.parse(stdout));
    expect(read.map(({ file }) => file)).toEqual([join(home, 'bundle/pod.yaml')]);
    expect(unknown).toEqual([join(home, 'bundle/README')]);
  });

  const P05 = join(PASTES, 'p05-eviction-api/input');
  it.each([
    ['a file that is not there', ['nowhere.txt'], /there is no file or folder nowhere\.txt/],
    ['no evidence at all', [join(PROJECT, 'LICENSE')], /nothing that was given is evidence/],
    [
      'a pod that is not there',
      [P05, '--pod', 'nobody'],
      /no pod nobody is in the input\n.*default\/greedy/s,
    ],
    ['an attempt that is none', [P05, '--attempt', 'x'], /--attempt takes a whole number/],
    ['a zone that is none', [P05, '--timezone', 'Berlin'], /--timezone takes a name like Europe\/Berlin/],
  ])('answers %s with one clear message', async (_what, words, message) => {
    const { status, stderr } = await runCli(home, ['autopsy', ...words]);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });
});
