import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PASTES, paste, usePasteFolders, without } from '../support/paste.ts';
import { runCli } from '../support/run-cli.ts';

const { folder, home } = usePasteFolders();

const OOM = 'p01-oom-dmesg-T';
const SOS = 'p07-oom-sos';
/** What moves the cursor of a terminal, or turns the direction of writing. */
const UNSEEN = /[^\P{Cc}\t\n]|\p{Cf}/u;

describe('hostile input', () => {
  it('with escapes in names is printed as numbers, in words, JSON and what is saved', async () => {
    const evil = '\u001b]0;evil\u0007\u202e';
    const at = join(folder, 'escapes');
    const [input = ''] = paste(OOM, {
      'dmesg.txt': (text) => text.replaceAll('memory-eater', evil),
      'pod.yaml': (text) => text.replaceAll('reason: OOMKilled', `reason: ${JSON.stringify(`OOM${evil}`)}`),
    })(at);
    const save = join(folder, 'saved-escapes');
    for (const words of [[], ['--json'], ['--save', save], ['--list']]) {
      const { stdout, stderr } = await runCli(home, ['autopsy', input, ...words]);
      expect(stdout).not.toBe('');
      expect(stdout + stderr).not.toMatch(UNSEEN);
    }
    const judged = await runCli(home, ['judge', save]);
    expect(judged.stdout).toContain('as it was judged before');
    expect(judged.stdout).not.toMatch(UNSEEN);
  });

  it('with links, pipes, NUL and other bytes is read as far as it is text, and nothing in it is opened', async () => {
    const at = join(folder, 'hostile');
    paste(OOM)(at);
    symlinkSync('/etc/passwd', join(at, 'link.log'));
    execFileSync('mkfifo', [join(at, 'pipe.log')]);
    writeFileSync(join(at, 'bytes.log'), Buffer.from([0, 0xff, 0xfe, 0xc3, 0x28, 10, 0, 0xf0, 0x9f, 10]));
    const { status, stdout } = await runCli(home, ['autopsy', at, '--json']);
    expect(status).toBe(0);
    const { problems, unknown } = JSON.parse(stdout) as { problems: string[]; unknown: string[] };
    expect(problems.join('\n')).toMatch(/link\.log is a link[\s\S]*pipe\.log is a device, pipe or socket/);
    expect(unknown).toEqual([join(at, 'bytes.log')]);
  });
});

describe('a saved autopsy', () => {
  it('is judged again as it was, and a changed file is noticed', async () => {
    const save = join(folder, 'saved');
    const input = join(PASTES, SOS, 'input');
    const first = await runCli(home, ['autopsy', input, '--pod', 'default/eater', '--save', save]);
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/saved +\S+: 4 files, \d+ texts taken out; other secrets may be left/);
    const again = await runCli(home, ['judge', save]);
    expect(again.stdout).toMatch(/changed +as it was judged before/);
    expect(again.status).toBe(0);
    const asked = await runCli(home, ['autopsy', save]);
    expect(asked.stdout.split('\nread\n')[0]).toBe(first.stdout.split('\nread\n')[0]);
    for (const name of readdirSync(join(save, 'files'))) {
      const path = join(save, 'files', name);
      writeFileSync(path, without(/oom-kill|Killed|Tasks|TaskOOM/)(readFileSync(path, 'utf8')));
    }
    const changed = await runCli(home, ['judge', save, '--json']);
    expect(changed.status).toBe(1);
    expect(changed.stdout).toContain('"field": "killer"');
  });

  it('is not begun when the question is refused', async () => {
    const save = join(folder, 'refused');
    const { status } = await runCli(home, [
      'autopsy',
      join(PASTES, SOS, 'input'),
      '--pod',
      'a/b',
      '--save',
      save,
    ]);
    expect(status).toBe(2);
    expect(readdirSync(folder).filter((name) => name.includes('refused'))).toEqual([]);
  });
});
