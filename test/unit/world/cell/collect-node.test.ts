import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CRI_CONTAINERS, CRI_RECORDS } from '../../../../lab/world/cell/collect-node.ts';
import { NO_RC } from '../../../bash.ts';

const folder = mkdtempSync(join(tmpdir(), 'cri-records-'));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * What is saved of a runtime that has folders of some containers, lists some, tells of those it knows, and goes on listing the
 * silent.
 */
function ask({ folders = '', listed, known, silent = '' }: Runtime) {
  const crictl = join(folder, 'crictl');
  const [containers, calls] = [join(folder, 'containers'), join(folder, 'calls')];
  rmSync(containers, { recursive: true, force: true });
  for (const id of folders.split(' ')) if (id !== '') mkdirSync(join(containers, id), { recursive: true });
  writeFileSync(calls, '');
  writeFileSync(
    crictl,
    `#!/bin/bash
shift 2
echo "$1" >> '${calls}'
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
  const script = CRI_RECORDS.replace(CRI_CONTAINERS, containers);
  const { status, stdout, stderr } = spawnSync('bash', [NO_RC, '-c', script], { env, encoding: 'utf8' });
  const starts = readFileSync(calls, 'utf8').trim().split('\n');
  return { starts, asked: { status, records: stdout.split('\n').filter((line) => line !== ''), stderr } };
}

interface Runtime {
  readonly folders?: string;
  readonly listed: string;
  readonly known: string;
  readonly silent?: string;
}

describe("the runtime's records", () => {
  it('are those of all containers', () => {
    const records = ['{"id":"a"}', '{"id":"b"}', '{"id":"c"}'];
    expect(ask({ listed: 'a b c', known: 'a b c' }).asked).toEqual({ status: 0, records, stderr: '' });
    expect(ask({ listed: '', known: '' }).asked).toEqual({ status: 0, records: [], stderr: '' });
  });

  it('take one start of crictl where the containers have their folders', () => {
    const { starts, asked } = ask({ folders: 'a b', listed: 'a b', known: 'a b' });
    expect(asked).toEqual({ status: 0, records: ['{"id":"a"}', '{"id":"b"}'], stderr: '' });
    expect(starts).toEqual(['inspect']);
  });

  it('are whole when a folder is that of a container which is being made, or was just removed', () => {
    const { starts, asked } = ask({ folders: 'a half', listed: 'a', known: 'a' });
    expect(asked).toEqual({ status: 0, records: ['{"id":"a"}'], stderr: '' });
    expect(starts).toEqual(['inspect', 'ps', 'inspect']);
  });

  it('are whole when a container is removed while they are read', () => {
    const records = ['{"id":"a"}', '{"id":"c"}'];
    expect(ask({ listed: 'a gone c', known: 'a c' }).asked).toEqual({ status: 0, records, stderr: '' });
  });

  it('are not whole when the runtime lists a container of which it tells nothing', () => {
    const { asked } = ask({ listed: 'a b c', known: 'a c', silent: 'b' });
    expect(asked).toMatchObject({ status: 1, records: ['{"id":"a"}', '{"id":"c"}'] });
    expect(asked.stderr).toContain('"b": not found');
  });
});
