import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { runCli } from '../support/run-cli.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-kubeconfig-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, user: object): string {
  const path = join(folder, name);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(path, stringify(config));
  return path;
}

const execOf = (command: string, args: readonly string[] = []): object => ({
  exec: { apiVersion: 'client.authentication.k8s.io/v1', command, args, interactiveMode: 'Never' },
});

describe('a kubeconfig', () => {
  it('runs its program only where it is named with --kubeconfig, and something is read', async () => {
    const ran = join(folder, 'ran');
    const path = write('exec.yaml', execOf('touch', [ran]));
    const words = ['--kubeconfig', path, 'default/x'];
    for (const harmless of [[path], [...words, '--dry-run'], [...words, '--print-commands']]) {
      await runCli(folder, ['autopsy', ...harmless]);
      expect(existsSync(ran)).toBe(false);
    }
    await runCli(folder, ['autopsy', ...words]);
    expect(existsSync(ran)).toBe(true);
  });

  it.each([
    ['whose program prints no credentials', execOf('true'), /gives no credentials\n {2}last seen: /],
    ['whose program prints no status', execOf('echo', ['{}']), /gives no credentials/],
    [
      'whose program is not there',
      execOf('no-such-program'),
      /gives no credentials\n {2}last seen: .*ENOENT/,
    ],
    ['whose API does not answer', {}, /the API of the kubeconfig does not answer: https:\/\/127\.0\.0\.1:1/],
  ])('is one message with the next command: one %s', async (what, user, says) => {
    const path = write(`${what.replaceAll(' ', '-')}.yaml`, user);
    const { status, stdout, stderr } = await runCli(folder, ['autopsy', '--kubeconfig', path, 'default/x']);
    expect(stderr).toMatch(says);
    expect(stderr).toContain('try: ask the same with kubectl');
    expect([status, stdout]).toEqual([3, '']);
  });
});
