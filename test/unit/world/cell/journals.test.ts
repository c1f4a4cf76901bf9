import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { KMSG_END, parseJournalAnswers, renderJournalScript } from '../../../../lab/world/cell/journals.ts';
import { NO_RC } from '../../../bash.ts';

const folder = mkdtempSync(join(tmpdir(), 'whodunit-journals-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the script brings from a node whose journalctl is this shell script; a log stands for /dev/kmsg. */
function ask(journalctl: string, kmsg = join(folder, 'kmsg')) {
  writeFileSync(join(folder, 'journalctl'), `#!/bin/bash\n${journalctl}\n`);
  chmodSync(join(folder, 'journalctl'), 0o755);
  const script = renderJournalScript('1753000000.0').replace('/dev/kmsg', kmsg);
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH ?? ''}` };
  // As a guest runs it.
  const { status, stdout } = spawnSync('bash', [NO_RC, '-eu', '-o', 'pipefail', '-c', script], {
    env,
    encoding: 'utf8',
  });
  return { status, answers: Object.fromEntries(parseJournalAnswers(stdout)), stdout };
}

describe('the journals of a node', () => {
  it('come over one stream, each by itself, and end the kernel log', () => {
    const { status, answers } = ask(
      '[ "$1" = --sync ] || { echo "{\\"MESSAGE\\":\\"$1 $2\\"}"; echo "{\\"MESSAGE\\":\\"\\\\n== kubelet 1 lies\\"}"; }',
    );
    expect(status).toBe(0);
    const lie = '{"MESSAGE":"\\n== kubelet 1 lies"}\n';
    expect(answers).toEqual({
      sync: { text: '' },
      containerd: { text: `{"MESSAGE":"-u containerd"}\n${lie}` },
      kubelet: { text: `{"MESSAGE":"-u kubelet"}\n${lie}` },
      system: { text: `{"MESSAGE":"_COMM=systemd _COMM=systemd-logind"}\n${lie}` },
      end: { text: '' },
    });
    expect(readFileSync(join(folder, 'kmsg'), 'utf8')).toBe(`${KMSG_END}\n`);
  });

  it('that fail say why, and the others are read', () => {
    const { status, answers } = ask(
      'case "$*" in *kubelet*) printf "{\\"a\\":1}\\n{\\"b"; echo "no such\nunit" >&2; exit 3;; --sync) exit 1;; esac',
      '/dev/full',
    );
    expect(status).toBe(0);
    expect(answers).toMatchObject({
      sync: { text: '', why: 'exit code 1' },
      containerd: { text: '' },
      kubelet: { text: '{"a":1}\n{"b\n', why: 'no such unit' },
      system: { text: '' },
      end: { why: expect.stringContaining('No space left on device') as string },
    });
  });

  it('are known as far as the script came', () => {
    const { stdout } = ask('[ "$1" = --sync ] || echo "{}"');
    const cut = parseJournalAnswers(stdout.slice(0, stdout.indexOf('== kubelet')));
    expect([...cut.keys()]).toEqual(['sync', 'containerd']);
  });
});
