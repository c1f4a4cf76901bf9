import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PROJECT } from './run-cli.ts';

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
    ...{ WHODUNIT_HOME: home, npm_lifecycle_event: undefined, PATH: `${bin}:${process.env.PATH}` },
    // No settings of a person.
    ...{ HOME: folder, ZDOTDIR: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, TERM: 'xterm' },
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Whether this host has a shell. One that it lacks is no fault: the test says that it was skipped. */
function has(shell: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((each) => existsSync(join(each, shell)));
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
  /** Types lines and a Tab each into a zsh on a pseudo-terminal; returns what then stands in its line, `|` behind it. */
  async function type(lines: readonly string[]): Promise<string[]> {
    const out = join(folder, 'lines');
    writeFileSync(out, '');
    const told = (): string[] => readFileSync(out, 'utf8').split('\n').filter(Boolean);
    const child = spawn('script', ['-qec', 'zsh -f -i', '/dev/null'], { cwd: folder, env });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const until = async (count: number): Promise<void> => {
      await vi.waitUntil(() => told().length === count, { timeout: 120_000 });
    };
    try {
      const show = `show() { print -r -- "$BUFFER|" >>"${out}" }; zle -N show; bindkey '^X^L' show`;
      const init = 'autoload -Uz compinit && compinit -u -D && source <(whodunit completion zsh)';
      child.stdin.write(`${init}; ${show}; print ready >>"${out}"\n`);
      await until(1);
      for (const [index, line] of lines.entries()) {
        child.stdin.write(`${line}\t\u0018\u000c`);
        await until(index + 2);
        // Ctrl-U takes the line away.
        child.stdin.write('\u0015');
      }
      return told().slice(1);
    } finally {
      child.stdin.end('exit\n');
      await ended;
    }
  }

  it('completes verbs, flags, values and runs; what goes on is followed by no blank', async () => {
    expect(
      await type([
        'whodunit ju',
        'whodunit list --su',
        'whodunit list cgro',
        'whodunit list cgroup=',
        'whodunit report 2025',
        "whodunit list 'set=deaths-",
        'whodunit completion z',
      ]),
    ).toEqual([
      'whodunit judge |',
      'whodunit list --summary |',
      'whodunit list cgroup=|',
      'whodunit list cgroup=v|',
      `whodunit report ${RUN} |`,
      "whodunit list 'set=deaths-v1' |",
      'whodunit completion zsh |',
    ]);
  });
});
