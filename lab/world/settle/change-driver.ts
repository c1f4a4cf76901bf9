import type { Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import type { Host } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import type { BootedWorld } from '../steps/build-step.ts';
import { nodeIsReady } from '../cluster-probes.ts';
import { connectAll } from '../connect.ts';
import { awaitReboot, readBootId, type Rebooted } from '../restore/reboot.ts';
import { writeNodeFiles } from '../recipe/node-files.ts';
import { runtimeFiles } from '../recipe/runtime-files.ts';

const READY_WAIT = { timeoutMs: TIME_LIMITS.world.rebootReady.ms, intervalMs: 1_500 };

/**
 * Gives containerd the cgroup driver that the variant declares, the way a mismatch comes about in the field: the
 * configuration of a working node is changed, and the node is rebooted. The reboot matters: as long as one container
 * started under the old driver is left in a QoS class, systemd keeps the controllers of that class and the mismatch
 * shows nothing.
 *
 * The pods are killed first, as nothing of them may be left anyway, and waiting for each to end takes an emulated node
 * minutes.
 *
 * @returns new connections, in the order of those that it closed.
 */
export async function changeRuntimeDriver(
  host: Host,
  { recipe, image, record, guests }: BootedWorld,
): Promise<Rebooted[]> {
  const files = runtimeFiles(recipe, image, recipe.drivers.runtime);
  const before = await Promise.all(guests.map(readBootId));
  for (const guest of guests) {
    await writeNodeFiles(guest, files);
    await guest.must(REBOOT, { timeoutMs: TIME_LIMITS.world.shutdown.ms });
    guest.close();
  }
  return awaitReboot(host, before, () => connectAll({ host }, record));
}

/** The reboot is put off for a moment, so that its caller still gets an answer. */
const REBOOT = `
cp /etc/containerd/whodunit.toml /etc/containerd/config.toml
systemctl stop kubelet
for task in $(ctr -n k8s.io tasks ls -q); do ctr -n k8s.io tasks kill -s SIGKILL "$task" || true; done
sync
systemd-run --quiet --on-active=1 --timer-property=AccuracySec=100ms systemctl reboot
`;

/** Waits until the kubelet of each rebooted node has said, in this boot, that the node is Ready. */
export async function waitForRebooted(
  host: Host,
  kubernetes: Kubernetes,
  rebooted: readonly Rebooted[],
): Promise<void> {
  await Promise.all(
    rebooted.map(({ guest, bootId }) =>
      host.waitFor(nodeIsReady(kubernetes, guest.name, bootId), READY_WAIT),
    ),
  );
}
