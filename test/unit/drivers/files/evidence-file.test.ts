import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import { openEvidenceFile } from '../../../../lab/drivers/files/evidence-file.ts';
import { recordHeartbeat } from '../../../../lab/drivers/ssh/heartbeat.ts';
import { recordHostLoad } from '../../../../lab/drivers/host/host-load.ts';
import { startRecording } from '../../../../lab/drivers/kubernetes/kubernetes-recording.ts';

/** Every write to it fails as on a full disk (full(4)). */
const FULL = '/dev/full';
const MISSED = [{ why: 'ENOSPC: no space left on device, write' }];

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'whodunit-evidence-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('a file of evidence', () => {
  it('has all that was written when it is ended', async () => {
    const path = join(folder, 'node-1', 'kmsg.log');
    const { sink, end } = openEvidenceFile(path);
    for (const line of ['one\n', 'two\n']) sink.write(line);
    expect(await end()).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  it('says why it lacks something, however much is written afterwards', async () => {
    const { sink, end } = openEvidenceFile(FULL);
    sink.write('one');
    await new Promise((resolve) => sink.once('close', resolve));
    sink.write('two');
    expect(await end()).toEqual(MISSED);
    const late = openEvidenceFile(FULL);
    late.sink.write('one');
    expect(await late.end()).toEqual(MISSED);
    const nowhere = openEvidenceFile(folder);
    expect(await nowhere.end()).toEqual([{ why: expect.stringContaining('EISDIR') as string }]);
  });

  it('names the first reason, also where it is ended between a failed write and the event that tells it', async () => {
    const { sink, end } = openEvidenceFile(FULL);
    sink.write('one');
    // The event comes once the file is closed, which takes one more turn.
    while (!sink.destroyed) await new Promise((resolve) => setImmediate(resolve));
    expect(await end()).toEqual(MISSED);
  });
});

describe('on a full disk', () => {
  it('the host and the heartbeat are recorded no more, and that is told', async () => {
    const load = await recordHostLoad(systemClock, { prefix: 'none-', listFriends: () => [] }, FULL);
    expect(await load.stop()).toEqual(MISSED);
    const hearts = await recordHeartbeat(systemClock, [{ name: 'node-1', sshPort: 1 }], 1000, FULL);
    expect(await hearts.stop()).toEqual(MISSED);
  });

  it('a watch of the API goes on for those who look at it, and tells what its file lacks', async () => {
    const object = { metadata: { name: 'a', resourceVersion: '1' } };
    const api = createServer(
      (_, answer) => void answer.write(`${JSON.stringify({ type: 'ADDED', object })}\n`),
    );
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    const { port } = api.address() as AddressInfo;
    const config = new KubeConfig();
    config.loadFromClusterAndUser(
      { name: 'api', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
      { name: 'nobody' },
    );
    const seen: string[] = [];
    const onObject = (_: string, { metadata }: { metadata?: { name?: string } }): void =>
      void seen.push(metadata?.name ?? '');
    const input = { config, clock: systemClock, path: '/api/v1/pods', localFile: FULL, onObject };
    const recording = await startRecording(input);
    await expect.poll(() => seen).toEqual(['a']);
    expect(await recording.stop()).toEqual(MISSED);
    api.closeAllConnections();
    await new Promise((resolve) => api.close(resolve));
  });
});
