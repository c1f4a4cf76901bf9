import type { Guest, Host, Look, Probe } from '../../model/host/host.ts';
import type { StimulusOf } from '../../model/declared/stimulus.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { connectNodes } from '../connect.ts';
import { apiAnswers } from '../cluster-probes.ts';
import { refreshGuest } from './health/refresh-guest.ts';
import type { UsedWorld } from '../world.ts';

const REBOOT_WAIT = { timeoutMs: TIME_LIMITS.world.reboot.ms, intervalMs: 1_500 };

/** A node that was started again. */
export interface Rebooted {
  readonly guest: Guest;
  readonly bootId: string;
}

/**
 * Both wait a moment, so that the caller still gets an answer. What was written is on the disk before the crash:
 * libcni writes its cache without fsync, and a pod with an empty cache file can never be stopped or started again
 * ("decoding version from network config: unexpected end of JSON input").
 */
const REBOOT: Readonly<Record<StimulusOf<'node-reboot'>['how'], string>> = {
  crash:
    'sync; (sleep 0.5; echo b > /proc/sysrq-trigger) > /dev/null 2>&1 < /dev/null & echo "reset the machine"',
  shutdown:
    'systemd-run --quiet --on-active=0.5 --timer-property=AccuracySec=100ms systemctl reboot; echo "asked systemd to reboot"',
};

/**
 * Reboots one node of a world in the middle of a cell.
 *
 * @param resume lets the collection go on in the next boot, over a new connection.
 * @returns what was done, for the record.
 */
export async function rebootNode(
  host: Host,
  world: UsedWorld,
  guest: Guest,
  how: StimulusOf<'node-reboot'>['how'],
  resume: (guest: Guest) => Promise<void>,
): Promise<string> {
  const index = world.guests.indexOf(guest);
  const before = await readBootId(guest);
  const said = await guest.must(REBOOT[how]);
  const [rebooted] = await awaitReboot(host, [before], () =>
    connectNodes({ host }, world.record, [guest.name]),
  );
  if (rebooted === undefined) return said;
  guest.close();
  world.guests[index] = rebooted.guest;
  await resume(rebooted.guest);
  await host.waitFor(apiAnswers(world.kubernetes, 'after the reboot'), REBOOT_WAIT);
  world.kubernetes.reopen();
  return said;
}

/** Reads the id of the boot that a node is in. */
export async function readBootId(guest: Guest): Promise<string> {
  return (
    await guest.must('cat /proc/sys/kernel/random/boot_id', { timeoutMs: TIME_LIMITS.world.bootId.ms })
  ).trim();
}

/**
 * Waits until every node answers from another boot, and refreshes its clock and randomness.
 *
 * @param before the boot ids, in the order of the guests that `reconnect` gives.
 * @throws ProbeTimeoutError
 */
export async function awaitReboot(
  host: Host,
  before: readonly string[],
  reconnect: () => Promise<Guest[]>,
): Promise<Rebooted[]> {
  const back: Probe<Rebooted[]> = {
    title: 'the nodes to come back after their reboot',
    look: () => lookAtBoot(reconnect, before),
  };
  const rebooted = await host.waitFor(back, REBOOT_WAIT);
  await Promise.all(rebooted.map(({ guest }) => refreshGuest(host, guest)));
  return rebooted;
}

/** SSH still answers for a moment while the node goes down. */
async function lookAtBoot(
  reconnect: () => Promise<Guest[]>,
  before: readonly string[],
): Promise<Look<Rebooted[]>> {
  const guests = await reconnect();
  const closeAll = (): void => {
    for (const guest of guests) guest.close();
  };
  try {
    const bootIds = await Promise.all(guests.map(readBootId));
    if (bootIds.every((bootId, index) => bootId !== before[index])) {
      return { done: true, value: guests.map((guest, index) => ({ guest, bootId: bootIds[index] ?? '' })) };
    }
    closeAll();
    return { done: false, seen: 'not all of them have gone down' };
  } catch (error) {
    closeAll();
    return { done: false, seen: (error as Error).message };
  }
}
