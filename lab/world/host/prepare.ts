import { readHostFacts, type HostFacts } from '../../drivers/host/host-facts.ts';
import { HostError } from '../../model/errors/errors.ts';
import type { Host } from '../../model/host/host.ts';
import type { HostNeeds } from './check.ts';
import { CHECKS, examineHost, repairHost, type Examined } from './checks.ts';

/**
 * Makes the host ready: looks at everything, applies the safe repairs, and looks again. When something cannot be
 * repaired automatically, it is reported before anything is changed.
 *
 * @throws HostError LAB_HOST naming every problem that is left with its fix; CommandError when a repair fails.
 */
export async function prepareHost(
  host: Host,
  needs: HostNeeds,
  facts: HostFacts = readHostFacts(),
): Promise<void> {
  const checks = CHECKS.filter((check) => check.advisory !== true);
  const examined = await examineHost(host, needs, facts, checks);
  if (examined.every(({ finding }) => finding.ok && finding.autoFix === undefined)) return;
  const broken = examined.filter(({ finding }) => !finding.ok);
  if (broken.every((finding) => isRepairable(finding, examined))) {
    const left = (await repairHost(host, needs, examined, facts)).filter(({ finding }) => !finding.ok);
    if (left.length > 0) throw notReady(left);
    return;
  }
  throw notReady(broken);
}

/** A check that waits for a repairable one may hold after the repair. */
function isRepairable({ finding }: Examined, all: readonly Examined[]): boolean {
  if (finding.autoFix !== undefined) return true;
  return all.some(({ check, finding: other }) => check.name === finding.after && other.autoFix !== undefined);
}

function notReady(broken: readonly Examined[]): HostError {
  const lines = broken.flatMap(({ check, finding }) => [
    `  ${check.name}: ${finding.found}`,
    ...(finding.why === undefined ? [] : [`    ${finding.why}`]),
    ...(finding.fix === undefined ? [] : [`    fix: ${finding.fix}`]),
  ]);
  const count = broken.length === 1 ? 'one problem' : `${broken.length} problems`;
  return new HostError(
    'LAB_HOST',
    `this host is not ready, ${count}; nothing was started\n${lines.join('\n')}`,
    {
      tryNext: 'the fixes above; `npx whodunit doctor --fix` makes those it safely can',
    },
  );
}
