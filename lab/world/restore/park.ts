import type { Lab } from '../lab.ts';
import type { WorldRecord } from '../world-record.ts';

/**
 * Powers a world off. Its `ready` snapshot is in the overlays and brings it back; what was done since is lost.
 * Terraform then sees domains that are off: it owns which machines exist, not their power.
 */
export async function parkWorld(lab: Pick<Lab, 'libvirt'>, record: WorldRecord): Promise<void> {
  await Promise.all(record.nodes.map((node) => lab.libvirt.destroyDomain(node.domain)));
}
