import { randomSeed } from '../../../drivers/random.ts';
import type { Guest, Host } from '../../../model/host.ts';
import { WITNESS } from '../../witness.ts';

const SEED_BYTES = 64;
const REFRESH_MS = 60_000;

/**
 * Steps the wall clock of a restored guest to that of the host and gives its random number generator fresh randomness
 * of the host, with one script. Evidence, certificates and Job deadlines are compared with host time. Without that,
 * two restores of one snapshot would draw the same container ids and pod UIDs. Every program that asks the kernel
 * (getrandom) gets other numbers from then on; only generators that were seeded once at their start repeat, such as
 * the suffixes of pod names.
 *
 * A VM generation id (QEMU `vmgenid`) would not do: the kernel reseeds only when the id changes, a restore inside a
 * running QEMU keeps it, and kernels before 5.18 do not know it (drivers/virt/vmgenid.c).
 */
export async function refreshGuest(host: Host, guest: Guest): Promise<void> {
  await guest.must(
    `date -u -s "@${(host.clock.now() / 1000).toFixed(3)}" > /dev/null\n` +
      `base64 -d <<< '${randomSeed(SEED_BYTES)}' | ${WITNESS} reseed`,
    { timeoutMs: REFRESH_MS },
  );
}
