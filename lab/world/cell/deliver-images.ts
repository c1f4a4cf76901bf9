import type { Components } from '../../model/components/components.ts';
import type { Guest, Host } from '../../model/host/host.ts';
import type { Scenario } from '../../model/declared/scenario.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { ensureComponents } from '../../../provision/components/components.ts';
import { buildWorkloadArchive, type ImageArchive } from '../../../provision/image/workload-archive.ts';

/**
 * Makes the images that a scenario names and no base image has, from components of the cache.
 *
 * @throws UsageError for a component or version that the catalogue does not know; HostError when it cannot be had.
 */
export async function makeArchives(
  host: Host,
  catalogue: Components,
  images: Scenario['images'],
): Promise<ImageArchive[]> {
  const archives: ImageArchive[] = [];
  for (const { image, component, version, also } of images) {
    const refs = [{ component, version }, ...also].map((part) => ({
      name: part.component,
      version: part.version,
    }));
    archives.push(await buildWorkloadArchive(image, await ensureComponents(host, catalogue, refs)));
  }
  return archives;
}

/**
 * Hands images to containerd on every node. They are not part of a snapshot: the next restore takes them away. When a
 * node does not take one, the others get no more of it.
 *
 * @param signal ends the delivery.
 * @throws CommandError when containerd does not take one.
 */
export async function importImages(
  guests: readonly Guest[],
  archives: readonly ImageArchive[],
  signal: AbortSignal,
): Promise<void> {
  const refused = new AbortController();
  const either = AbortSignal.any([signal, refused.signal]);
  await Promise.all(
    guests.map(async (node) => {
      const guest = node.under(either);
      try {
        for (const { content } of archives)
          await guest.feed('ctr --namespace k8s.io images import -', content, {
            timeoutMs: TIME_LIMITS.cell.imageImport.ms,
          });
      } catch (error) {
        refused.abort();
        throw error;
      }
    }),
  );
}
