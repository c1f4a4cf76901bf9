import { describe, expect, it } from 'vitest';
import { importImages } from '../../../../lab/world/cell/deliver-images.ts';
import { createToldGuest } from '../../../fake-guest.ts';

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
    );
    for (const node of ['node-1', 'node-2'])
      expect(said.filter((each) => each.startsWith(node))).toEqual(
        commands.map((command) => `${node}: ${command}`),
      );
  });

  it('stop the cell when a node does not take one', async () => {
    const said: string[] = [];
    const guest = createToldGuest('node-1', said, { 'import - < 1 ': new Error('no space left') });
    await expect(importImages([guest], archives)).rejects.toThrow('no space left');
    expect(said).toHaveLength(1);
  });
});
