import { usageErrorOf } from '../../model/errors/usage-problems.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { parseSize, SIZE_FORMS } from '../../model/text/parse-size.ts';
import type { HostClass, PlannedShard } from '../../model/saved/shard-plan.ts';

const MIB = 1024 * 1024;
const PARTS = ['memory', 'cpus', 'kvm'];

/**
 * Reads what each host has at least: `memory=64GiB,cpus=16,kvm`.
 *
 * @throws UsageError naming every part that is wrong.
 */
export function parseHostClass(text: string): HostClass {
  const host: { -readonly [Part in keyof HostClass]: HostClass[Part] } = {};
  const problems = text.split(',').flatMap((part): string[] => {
    const [name = '', value] = part.trim().split('=', 2);
    if (name === 'kvm' && value === undefined) {
      host.kvm = true;
      return [];
    }
    if (name === 'memory') {
      const bytes = parseSize(value ?? '');
      if (bytes === undefined) return [`memory takes a size (${SIZE_FORMS}), not "${value ?? ''}"`];
      host.memoryMiB = Math.floor(bytes / MIB);
      return [];
    }
    if (name === 'cpus') {
      if (!/^[1-9]\d{0,4}$/.test(value ?? '')) return [`cpus takes a number from 1, not "${value ?? ''}"`];
      host.cpus = Number(value);
      return [];
    }
    return [`"${part}" says nothing of a host${formatHint(name, PARTS)}`];
  });
  const names = text.split(',').map((part) => part.trim().split('=', 1).join());
  for (const name of PARTS)
    if (names.indexOf(name) !== names.lastIndexOf(name)) problems.push(`${name} was given twice`);
  if (problems.length === 0) return host;
  throw usageErrorOf(problems, '--host memory=64GiB,cpus=16,kvm');
}

/** What is known of a host that is to run a shard. */
export interface FoundHost {
  readonly memoryMiB: number;
  readonly cpus: number;
  readonly accelerator: 'kvm' | 'tcg';
}

/** In which ways a host is less than a shard of a plan needs; empty when it is enough. */
export function listShortcomings(
  host: HostClass,
  shard: Pick<PlannedShard, 'memoryMiB'>,
  found: FoundHost,
): string[] {
  const memoryMiB = Math.max(host.memoryMiB ?? 0, shard.memoryMiB);
  const { cpus = 0, kvm = false } = host;
  return [
    ...(found.memoryMiB < memoryMiB * RESERVED
      ? [`it has ${found.memoryMiB} MiB of memory, and the plan is for ${memoryMiB} MiB`]
      : []),
    ...(found.cpus < cpus ? [`it has ${found.cpus} CPUs, and the plan is for ${cpus}`] : []),
    ...(kvm && found.accelerator !== 'kvm' ? ['guests do not run under KVM, and the plan is for KVM'] : []),
  ];
}

/** A kernel keeps up to a tenth of the memory that a host is sold with: MemTotal of 64 GiB is 62.8 GiB. */
const RESERVED = 0.9;
