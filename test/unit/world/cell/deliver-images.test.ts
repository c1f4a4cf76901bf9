import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../../../lab/model/errors/errors.ts';
import type { Guest } from '../../../../lab/model/host/host.ts';
import { importImages } from '../../../../lab/world/cell/deliver-images.ts';
import { createFakeGuest, createToldGuest } from '../../../fake-guest.ts';

const archives = ['a:1', 'b:1'].map((name, index) => ({
  image: `whodunit.local/${name}`,
  content: Buffer.alloc(index + 1),
}));

describe('images that one scenario needs', () => {
  it('go to the containerd of every node, in order', async () => {
    const said: string[] = [];
    const commands = [1, 2].map((size) => `ctr --namespace k8s.io images import - < ${size} bytes`);
    const taken = Object.fromEntries(commands.map((command) => [command, '']));
    await importImages(
      ['node-1', 'node-2'].map((name) => createToldGuest(name, said, taken)),
      archives,
      new AbortController().signal,
    );
    for (const node of ['node-1', 'node-2'])
      expect(said.filter((line) => line.startsWith(node))).toEqual(
        commands.map((command) => `${node}: ${command}`),
      );
  });

  it('stop the cell when a node does not take one', async () => {
    const said: string[] = [];
    const guest = createToldGuest('node-1', said, { 'import - < 1 ': new Error('no space left') });
    const { signal } = new AbortController();
    await expect(importImages([guest], archives, signal)).rejects.toThrow('no space left');
    expect(said).toHaveLength(1);
  });

  it('go to no other node any more once one did not take them', async () => {
    let ended = 0;
    const full = createFakeGuest('node-1', () => Promise.reject(new Error('no space left')));
    const slow = createFakeGuest('node-2', () => new Promise(() => {}));
    const counted: Guest = {
      ...slow,
      under: (signal) => {
        signal.addEventListener('abort', () => (ended += 1));
        return slow.under(signal);
      },
    };
    const { signal } = new AbortController();
    await expect(importImages([counted, full], archives, signal)).rejects.toThrow('no space left');
    expect(ended).toBe(1);
    expect(slow.asked).toHaveLength(1);
  });

  it('stop with the signal', async () => {
    const stop = new AbortController();
    const slow = createFakeGuest('node-1', () => new Promise(() => {}));
    const importing = importImages([slow], archives, stop.signal);
    stop.abort();
    await expect(importing).rejects.toThrow(InterruptedError);
  });
});
