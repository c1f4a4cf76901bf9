import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
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

  it.each([
    ['04-liveness-journal', 'journal.txt', 'pod.json'],
    ['09-delete-journal', 'kubelet.log', 'pod.yaml'],
    ['03-child-oom-journal', 'journal.txt', 'pod.json'],
  ])('holds what was said around the death and of who died (p%s)', async (name, log, pod) => {
    const other = 'ledger-7f9c-of-somebody';
    /** Every line of the log once more, days before and days later, about another pod. */
    const shift = (text: string, days: number): string =>
      text
        .split('\n')
        .filter((line) => /kubelet/.test(line))
        .map((line) =>
          line
            .replace(/(\bNov |-11-)21(?!\d)/, (_, month: string) => `${month}${21 + days}`)
            .replaceAll(/\b([IWE])1121\b/g, (_, level: string) => `${level}11${21 + days}`)
            .replaceAll(/default\/[\w-]+/g, `default/${other}`)
            .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+|\b[0-9a-f]{64}\b/g, (id) =>
              id.replaceAll(/[0-9a-f]/g, 'e'),
            ),
        )
        .join('\n');
    const at = join(folder, name);
    paste(`p${name}`, {
      [log]: (text) => `${shift(text, -2)}\n${text.trimEnd()}\n${shift(text, 2)}\n`,
      'others.json': JSON.stringify({
        apiVersion: 'v1',
        kind: 'PodList',
        items: [
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: other, namespace: 'default', uid: 'eeeeeeee-4616-4b91-be7e-fae6803b2de3' },
            spec: { nodeName: 'node-1', containers: [{ name: 'ledger', image: 'ledger:1' }] },
            status: { phase: 'Running' },
          },
        ],
      }),
    })(at);
    const { metadata } = parse(readFileSync(join(at, pod), 'utf8')) as { metadata: { name: string } };
    const save = join(folder, `saved-${name}`);
    const words = ['autopsy', at, '--pod', `default/${metadata.name}`];
    const before = await runCli(home, words);
    const saved = await runCli(home, [...words, '--save', save]);
    expect(saved.stdout.split('\nread\n')[0]).toBe(before.stdout.split('\nread\n')[0]);
    expect(saved.stdout).not.toContain('with lines of other times');
    const files = readdirSync(join(save, 'files')).map((file) =>
      readFileSync(join(save, 'files', file), 'utf8'),
    );
    expect(readFileSync(join(at, log), 'utf8')).toContain(other);
    expect(files.filter((text) => text.includes(other))).toEqual([]);
    expect((await runCli(home, ['judge', save])).stdout).toContain('as it was judged before');
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
