import { randomSeed } from '../../../drivers/random.ts';
import { HostError } from '../../../model/errors/errors.ts';
import { formatSeconds } from '../../../model/text/format-duration.ts';
import type { Guest, Host } from '../../../model/host/host.ts';
import { TIME_LIMITS } from '../../../model/limits/time-limits.ts';
import { WITNESS } from '../../witness.ts';

const SEED_BYTES = 64;
/** The clock of a guest may be behind that of the host by so much: the judge allows a second between the two. */
const BEHIND_MS = 1_000;
const TRIES = 5;

/**
 * Steps the wall clock of a restored guest to that of the host and gives its random number generator fresh randomness
 * of the host, with one script. Evidence, certificates and Job deadlines are compared with host time. Without that,
 * two restores of one snapshot would draw the same container ids and pod UIDs. Every program that asks the kernel
 * (getrandom) gets other numbers from then on; only generators that were seeded once at their start repeat, such as
 * the suffixes of pod names.
 *
 * A VM generation id (QEMU `vmgenid`) would not do: the kernel reseeds only when the id changes, a restore inside a
 * running QEMU keeps it, and kernels before 5.18 do not know it (drivers/virt/vmgenid.c).
 *
 * On a busy host the time is seconds old when the guest gets it, so the guest says its time when it has it: it is behind by
 * no more than what has passed until that is heard. When that is too much the time is sent again.
 *
 * @throws HostError LAB_UNHEALTHY when the host is too busy for it.
 */
export async function refreshGuest(host: Host, guest: Guest): Promise<void> {
  let behindMs = Infinity;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const printed = await guest.must(
      `date -u -s "@${(host.clock.now() / 1000).toFixed(3)}" > /dev/null\n` +
        `base64 -d <<< '${randomSeed(SEED_BYTES)}' | ${WITNESS} reseed\n` +
        'date +%s%3N',
      { timeoutMs: TIME_LIMITS.world.clock.ms },
    );
    behindMs = host.clock.now() - Number(printed.trim().split('\n').at(-1));
    if (behindMs <= BEHIND_MS) return;
  }
  throw new HostError(
    'LAB_UNHEALTHY',
    `the clock of ${guest.name} may be behind by ${formatSeconds(behindMs, 1)}: this host is too busy to set it`,
    { tryNext: 'end other programs' },
  );
}
