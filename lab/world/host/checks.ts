import { readHostFacts, type HostFacts } from '../../drivers/host/host-facts.ts';
import type { DoctorResult } from '../../model/saved/doctor.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { Host } from '../../model/host/host.ts';
import { checkAccelerator, checkKvmDevice } from './check-accelerator.ts';
import { checkLeftovers } from './check-leftovers.ts';
import { checkLibvirt } from './check-libvirt.ts';
import { checkDisk, checkHandles, checkInodes, checkMemory, checkNode, checkPorts } from './check-machine.ts';
import { checkPackages } from './check-packages.ts';
import { checkSockets } from './check-sockets.ts';
import { checkTerraform } from './check-terraform.ts';
import { checkSubordinateIds, checkUserNamespaces } from './check-user.ts';
import { forgetProof } from './accelerator.ts';
import type { Check, CheckContext, CheckFinding, HostNeeds } from './check.ts';

/** Every check, in the order in which repairs build on each other. */
export const CHECKS: readonly Check[] = [
  checkNode,
  checkDisk,
  checkInodes,
  checkHandles,
  checkPorts,
  checkPackages,
  checkTerraform,
  checkSubordinateIds,
  checkUserNamespaces,
  checkKvmDevice,
  checkAccelerator,
  checkMemory,
  checkSockets,
  checkLibvirt,
  checkLeftovers,
];

/** What one small world needs, for a doctor that is asked before anything is chosen. */
export const DEFAULT_NEEDS: HostNeeds = { memoryMiB: 3072, diskMiB: 8 * 1024 };

/** A check and what it found. */
export interface Examined {
  readonly check: Check;
  readonly finding: CheckFinding;
}

/** Looks at everything, in order; changes nothing. */
export async function examineHost(
  host: Host,
  needs: HostNeeds,
  facts: HostFacts = readHostFacts(),
  checks: readonly Check[] = CHECKS,
): Promise<Examined[]> {
  const earlier = new Map<string, CheckFinding>();
  const context: CheckContext = { host, facts, needs, earlier };
  for (const check of checks) earlier.set(check.name, await check.look(context));
  return checks.map((check) => ({ check, finding: earlier.get(check.name)! }));
}

/**
 * Applies every automatic repair, each shown as a step, until nothing is left to repair: one repair (packages) may
 * make the next one possible (daemons). Returns the last findings; what could not be repaired is among them.
 *
 * @throws CommandError when a repair itself fails.
 */
export async function repairHost(
  host: Host,
  needs: HostNeeds,
  examined: readonly Examined[],
  facts: HostFacts = readHostFacts(),
): Promise<Examined[]> {
  const tried = new Set<string>();
  let latest = [...examined];
  for (;;) {
    const next = latest.find(({ check, finding }) => finding.autoFix && !tried.has(check.name));
    if (next?.finding.autoFix === undefined) return latest;
    tried.add(next.check.name);
    await host.progress.step(next.finding.autoFix.title, next.finding.autoFix.apply);
    forgetProof(host);
    latest = await examineHost(
      host,
      needs,
      facts,
      latest.map(({ check }) => check),
    );
  }
}

/** Turns findings into what `whodunit doctor --json` prints. */
export function toDoctorResult(examined: readonly Examined[]): DoctorResult {
  return {
    formatVersion: FORMAT_VERSION,
    ok: examined.every(({ finding }) => finding.ok),
    checks: examined.map(({ check, finding }) => ({
      name: check.name,
      ok: finding.ok,
      found: finding.found,
      ...(finding.why === undefined ? {} : { why: finding.why }),
      ...fixOf(finding),
    })),
  };
}

function fixOf({ fix, after }: CheckFinding): { fix?: string } {
  if (fix !== undefined) return { fix };
  return after === undefined ? {} : { fix: `fix "${after}" first` };
}
