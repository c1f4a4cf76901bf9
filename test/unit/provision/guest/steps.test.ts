import { afterEach, describe, expect, it } from 'vitest';
import { createWaitFor, systemClock } from '../../../../lab/drivers/clock.ts';
import { connectGuest } from '../../../../lab/drivers/ssh/ssh.ts';
import type { Guest, Host } from '../../../../lab/model/host/host.ts';
import { runGuestSteps } from '../../../../provision/guest/steps.ts';
import { quietProgress } from '../../../quiet-host.ts';
import { startSshServer, type SshServer } from '../../../ssh-server.ts';

let server: SshServer | undefined;
let guest: Guest | undefined;
afterEach(async () => {
  guest?.close();
  await server?.close();
});

describe('a step of a node that fails', () => {
  it('is told by its name and its last words, not by its script', async () => {
    server = await startSshServer();
    guest = await connectGuest(
      server.target,
      { waitFor: createWaitFor(systemClock), signal: new AbortController().signal },
      { timeoutMs: 10_000 },
    );
    const script = 'echo "$NODE_ROLE has one CPU" >&2\nexit 4\n';
    const running = runGuestSteps(
      { progress: quietProgress } as Host,
      guest,
      [{ name: '30-kubeadm-init', script }],
      { NODE_ROLE: 'control-plane' },
    );
    await expect(running).rejects.toThrow(
      `the step 30-kubeadm-init on ${guest.name}\n  exited with 4\n    control-plane has one CPU`,
    );
  });
});
