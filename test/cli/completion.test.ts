import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PROJECT } from './support/run-cli.ts';

const RUN = '20250101-0900-before';
const ADDRESS = 'default/sigkill-beside-an-oom';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-completion-'));
  const home = join(folder, 'state');
  cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(home, 'runs'), { recursive: true });
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const program = `#!/bin/sh\nexec "${process.execPath}" "${PROJECT}/bin/whodunit.mjs" "$@"\n`;
  writeFileSync(join(bin, 'whodunit'), program, { mode: 0o755 });
  env = {
    ...process.env,
    WHODUNIT_HOME: home,
    npm_lifecycle_event: undefined,
    PATH: `${bin}:${process.env.PATH}`,
    // No settings of a person.
    HOME: folder,
    ZDOTDIR: folder,
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    TERM: 'xterm',
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Whether this host has a shell. One that it lacks is no fault: the test says that it was skipped. */
function has(shell: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, shell)));
}

const run = (shell: string, ...words: string[]): string[] =>
  execFileSync(shell, words, { cwd: folder, env, stdio: 'pipe' }).toString().split('\n').filter(Boolean);

describe('completion in a real bash', () => {
  /** What bash offers for a line, by calling the function that `complete -F` has registered. */
  const complete = (line: string): string[] => {
    const script = `eval "$(whodunit completion bash)"
      COMP_LINE=$1 COMP_POINT=\${#1}
      complete -p whodunit >&2
      _whodunit
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run('bash', '-c', script, 'bash', line);
  };

  it.each([
    ['whodunit ju', ['judge']],
    ['whodunit list --su', ['--summary']],
    ['whodunit logs --fo', ['--follow']],
    ['whodunit run oom-single-c', ['oom-single-container']],
    ['whodunit list cgroup=', ['v1', 'v2']],
    ['whodunit list set=dea', ['deaths', 'deaths-v1']],
    ['whodunit report 2025', [RUN]],
    ['whodunit why default/sig', expect.arrayContaining([ADDRESS])],
    ['whodunit repro driver-mismatch-kill-l', ['driver-mismatch-kill-loop']],
    ['whodunit completion z', ['zsh']],
  ])('%j', (line, offered) => {
    expect(complete(line)).toEqual(offered);
  });
});

describe.skipIf(!has('fish'))(
  `completion in a real fish${has('fish') ? '' : ': there is no fish here'}`,
  () => {
    it.each([
      ['whodunit ju', ['judge']],
      ['whodunit list --su', ['--summary']],
      ['whodunit list cgroup=', ['cgroup=v1', 'cgroup=v2']],
      ['whodunit report 2025', [RUN]],
      ['whodunit completion z', ['zsh']],
      ['whodunit nonsense x', []],
    ])('%j', (line, offered) => {
      const script = 'whodunit completion fish | source; complete -C $argv[1]';
      expect(run('fish', '--no-config', '-c', script, line)).toEqual(offered);
    });
  },
);

describe.skipIf(!has('zsh'))(`completion in a real zsh${has('zsh') ? '' : ': there is no zsh here'}`, () => {
  /** Where the shell writes what stands in its line when Ctrl-X Ctrl-L is typed, `|` behind it. */
  let out: string;
  let shell: ChildProcessWithoutNullStreams;
  let ended: Promise<unknown>;
  const told = (): string[] => readFileSync(out, 'utf8').split('\n').filter(Boolean);
  const untilTold = (count: number): Promise<boolean> =>
    vi.waitUntil(() => told().length === count, { timeout: 170_000 });

  beforeAll(async () => {
    out = join(folder, 'lines');
    writeFileSync(out, '');
    // A pseudo-terminal: the line editor of zsh wants one.
    shell = spawn('script', ['-qec', 'zsh -f -i', '/dev/null'], { cwd: folder, env });
    ended = new Promise((resolve) => shell.once('close', resolve));
    const show = `show() { print -r -- "$BUFFER|" >>"${out}" }; zle -N show; bindkey '^X^L' show`;
    const init = 'autoload -Uz compinit && compinit -u -D && source <(whodunit completion zsh)';
    shell.stdin.write(`${init}; ${show}; print ready >>"${out}"\n`);
    await untilTold(1);
  });
  afterAll(async () => {
    // The end of a line that a failed test may have left, and of the input.
    shell.stdin.end('\u0015exit\n');
    await ended;
  });

  it.each([
    ['whodunit ju', 'whodunit judge '],
    ['whodunit list --su', 'whodunit list --summary '],
    ['whodunit list cgro', 'whodunit list cgroup='],
    ['whodunit list cgroup=', 'whodunit list cgroup=v'],
    ['whodunit report 2025', `whodunit report ${RUN} `],
    ["whodunit list 'set=deaths-", "whodunit list 'set=deaths-v1' "],
    ['whodunit nonsense x', 'whodunit nonsense x'],
  ])('%j and Tab', async (line, completed) => {
    const before = told().length;
    shell.stdin.write(`${line}\t\u0018\u000c`);
    await untilTold(before + 1);
    // Ctrl-U takes the line away.
    shell.stdin.write('\u0015');
    expect(told().at(-1)).toBe(`${completed}|`);
  });
});
