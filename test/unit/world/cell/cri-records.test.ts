import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CRI_RECORDS } from '../../../../lab/world/cell/collect-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'cri-records-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What is saved of a runtime that lists some containers, tells of those it knows, and goes on listing the silent. */
function ask({ listed, known, silent = '' }: { listed: string; known: string; silent?: string }) {
  const crictl = join(folder, 'crictl');
  writeFileSync(
    crictl,
    `#!/bin/bash
shift 2
if [ "$*" = 'ps --all --quiet' ]; then printf '%s\\n' ${listed}; exit; fi
if [ "$1" = ps ]; then for id in ${known} ${silent}; do [ "$id" = "\${@: -1}" ] && echo "$id"; done; exit 0; fi
shift 5
for id in "$@"; do
  case ' ${known} ' in
    *" $id "*) echo "{\\"id\\":\\"$id\\"}" ;;
    *) echo "container \\"$id\\": not found" >&2; exit 1 ;;
  esac
done
`,
  );
  chmodSync(crictl, 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH ?? ''}` };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', CRI_RECORDS], { env, encoding: 'utf8' });
  return { status, records: stdout.split('\n').filter((line) => line !== ''), stderr };
}

describe("the runtime's records", () => {
  it('are those of all containers', () => {
    const records = ['{"id":"a"}', '{"id":"b"}', '{"id":"c"}'];
    expect(ask({ listed: 'a b c', known: 'a b c' })).toEqual({ status: 0, records, stderr: '' });
    expect(ask({ listed: '', known: '' })).toEqual({ status: 0, records: [], stderr: '' });
  });

  it('are whole when a container is removed while they are read', () => {
    const records = ['{"id":"a"}', '{"id":"c"}'];
    expect(ask({ listed: 'a gone c', known: 'a c' })).toEqual({ status: 0, records, stderr: '' });
  });

  it('are not whole when the runtime lists a container of which it tells nothing', () => {
    const asked = ask({ listed: 'a b c', known: 'a c', silent: 'b' });
    expect(asked).toMatchObject({ status: 1, records: ['{"id":"a"}', '{"id":"c"}'] });
    expect(asked.stderr).toContain('"b": not found');
  });
});
