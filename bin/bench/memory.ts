import { readFileSync } from 'node:fs';
import { listQemuGuests } from '../../lab/drivers/machines/qemu-guests.ts';
import type { Row } from './numbers.ts';
import type { Session } from './session.ts';

const LOOK_MS = 100;

/** Peak memory of the lab and of QEMU over the memory of the guests, across a run that eats a container's limit. */
export async function benchmarkMemory(session: Session): Promise<Row[]> {
  const { record } = await session.upDefault();
  let labPeakMiB = 0;
  let timer: NodeJS.Timeout | undefined;
  await session
    .run(['run', 'default/oom-single-container', '--json'], {
      onStart: ({ pid }) => {
        // VmHWM only grows: the last look before the end is the peak.
        timer = setInterval(() => {
          labPeakMiB = Math.max(labPeakMiB, peakMiB(pid));
        }, LOOK_MS);
      },
    })
    .finally(() => clearInterval(timer));
  const domains = new Set(record.nodes.map(({ domain }) => domain));
  const guests = listQemuGuests().filter(({ name }) => domains.has(name));
  const qemuMiB = guests.reduce((total, guest) => total + guest.peakMiB, 0);
  const ramMiB = guests.reduce((total, guest) => total + guest.memoryMiB, 0);
  return [
    { what: 'peak memory of QEMU / memory of the guest', ours: qemuMiB, bare: ramMiB, unit: 'MiB' },
    { what: 'peak memory of the lab / memory of the guest', ours: labPeakMiB, bare: ramMiB, unit: 'MiB' },
    {
      what: 'peak memory of lab and QEMU / memory of the guest',
      ours: labPeakMiB + qemuMiB,
      bare: ramMiB,
      unit: 'MiB',
    },
  ];
}

function peakMiB(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8');
    return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0; // it ended
  }
}
