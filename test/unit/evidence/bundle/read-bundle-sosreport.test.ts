import { expect, it } from 'vitest';
import { ID, ofKind, OOM, readTexts, UID } from './read-texts.ts';

const POD = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'eater', namespace: 'default', uid: UID },
  spec: { nodeName: 'worker-1', containers: [{ name: 'eater' }] },
  status: { containerStatuses: [{ name: 'eater', containerID: `containerd://${ID}`, restartCount: 0 }] },
});

it('takes the files of a sosreport for those of one machine, whose name ends in a number as a case may', async () => {
  const root = 'sosreport-worker-1-2026-11-20-abcdefg';
  const read = await readTexts({
    'pod.json': POD,
    [`${root}/sos_commands/kernel/dmesg`]: OOM.map((text, index) => `[  252.04497${index}] ${text}\n`).join(
      '',
    ),
    [`${root}/sos_commands/logs/journalctl_--no-pager`]:
      'Nov 20 21:53:51 worker-1 systemd[1]: Reached target Shutdown.\n'.repeat(3),
    [`${root}/proc/stat`]: 'cpu  1 2 3 4\nbtime 1795212586\n',
    [`${root}/proc/vmstat`]: 'nr_free_pages 1000\npgfault 5\noom_kill 1\n',
  });
  expect(ofKind(read, 'kernel-killed').map(({ at, node }) => [at !== undefined, node])).toEqual([
    [true, 'worker-1'],
  ]);
  expect(new Set(read.sources.map(({ node }) => node))).toEqual(new Set([undefined, 'worker-1']));
});
