import { errorText } from '../../lab/model/errors/errors.ts';
import { restoreOnce, openRestored } from '../../lab/world/restore/restore.ts';
import { readRenewals } from '../../lab/world/restore/health/leases.ts';
import { WITNESS } from '../../lab/world/witness.ts';
import { closeWorld, type OpenWorld } from '../../lab/world/world.ts';
import type { Lab } from '../../lab/world/lab.ts';
import type { ReadyRecord } from '../../lab/world/world-record.ts';
import { lookBehindGate } from '../bench/restores.ts';
import type { Session } from '../bench/session.ts';
import type { FaultResult } from './faults.ts';

/** Something that is wrong with a world when its snapshot is loaded. */
interface Poison {
  readonly name: string;
  /** Run in every node; it ends when the harm is done. */
  readonly script?: string;
  /** Set where the harm is in the lab that restores it. */
  readonly lab?: (lab: Lab, world: OpenWorld) => Lab;
  /** Whether the gate heals it: then the world is healthy behind it. All others have to be caught. */
  readonly heals?: boolean;
}

const HOUR_MS = 3600_000;

const POISONS: readonly Poison[] = [
  { name: 'the clock is 400 days ahead', script: "date -s '+400 days'", heals: true },
  { name: 'the clock is a day behind', script: "date -s '-1 day'", heals: true },
  { name: 'the kubelet is dead', script: 'systemctl stop kubelet' },
  { name: 'the kubelet is frozen', script: 'pkill -STOP -x kubelet' },
  { name: 'containerd is dead', script: 'systemctl stop containerd' },
  { name: 'containerd is frozen', script: 'pkill -STOP -x containerd' },
  { name: 'the API server is frozen', script: 'pkill -STOP -x kube-apiserver' },
  {
    name: 'etcd is dead for good',
    script: 'mv /etc/kubernetes/manifests/etcd.yaml /root; pkill -KILL -x etcd',
  },
  { name: 'the scheduler is frozen', script: 'pkill -STOP -x kube-scheduler' },
  {
    name: 'the disk is full',
    script:
      'fallocate -l "$(df --output=avail -B1 / | tail -1)" /full || dd if=/dev/zero of=/full bs=1M || true',
  },
  { name: 'the witness is another program', script: `cp --remove-destination /bin/true ${WITNESS}` },
  { name: 'the witness is gone', script: `rm ${WITNESS}` },
  {
    name: 'a certificate ends in half an hour',
    lab: (lab, { kubernetes }) => {
      const ends = Math.min(...kubernetes.certificates().map(({ untilMs }) => untilMs));
      const ahead = ends - HOUR_MS / 2 - Date.now();
      const clock = { ...lab.host.clock, now: () => Date.now() + ahead };
      return { ...lab, host: { ...lab.host, clock } };
    },
  },
];

/** Harms a world right after its snapshot was loaded, as if it had been saved so, and asks the health gate. */
export async function poisonWorlds(
  session: Session,
  tell: (result: FaultResult) => Promise<void>,
): Promise<void> {
  const { record } = await session.upDefault();
  const lab = await session.lab();
  for (const poison of POISONS) {
    await tell(await tryPoison(lab, record, poison));
  }
}

async function tryPoison(lab: Lab, record: ReadyRecord, poison: Poison): Promise<FaultResult> {
  const world = await restoreOnce(lab, record);
  let harmed: Lab;
  let renewed: readonly (string | undefined)[];
  try {
    harmed = poison.lab?.(lab, world) ?? lab;
    // A snapshot that was saved now would have these.
    renewed = await readRenewals(
      lab.host,
      world.kubernetes,
      record.nodes.map(({ name }) => name),
    );
    for (const guest of world.guests) await guest.must(poison.script ?? ':');
  } finally {
    closeWorld(world);
  }
  const saved: ReadyRecord = {
    ...record,
    nodes: record.nodes.map((node, index) => ({ ...node, leaseRenewedAt: renewed[index] })),
  };
  const from = performance.now();
  const { answer, problems } = await askGate(harmed, saved, poison);
  return { fault: poison.name, answer, ms: performance.now() - from, problems };
}

async function askGate(
  lab: Lab,
  record: ReadyRecord,
  { heals = false }: Poison,
): Promise<Pick<FaultResult, 'answer' | 'problems'>> {
  let world: OpenWorld;
  try {
    world = await openRestored(lab, record, lab.host.clock.now());
  } catch (error) {
    const answer = `caught: ${errorText(error)}`;
    return { answer, problems: heals ? ['was to be healed'] : [] };
  }
  try {
    const { missed } = await lookBehindGate(world);
    if (missed !== undefined) return { answer: 'let through', problems: [missed] };
    return heals ? { answer: 'healed', problems: [] } : { answer: 'let through', problems: ['not caught'] };
  } finally {
    closeWorld(world);
  }
}
