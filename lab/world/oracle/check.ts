import type { Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import type { Effective } from '../../model/saved/effective.ts';
import { HostError } from '../../model/errors/errors.ts';
import type { Guest, Host } from '../../model/host/host.ts';
import { collectNodeFacts } from './collect.ts';
import { compareNode, type OracleDifference } from './compare.ts';
import type { Expected } from './expected.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';

/**
 * Reads back what every node of a world is and compares it with what its variant declares, so that every result is
 * about what its address says.
 *
 * @throws HostError LAB_ORACLE that names every difference.
 */
export async function checkEffective(
  host: Host,
  world: { readonly name: string; readonly guests: readonly Guest[]; readonly kubernetes: Kubernetes },
  expected: Expected,
): Promise<Effective> {
  const nodes = await Promise.all(
    world.guests.map((guest) => collectNodeFacts(host, world.kubernetes, guest, expected)),
  );
  const differences = nodes.flatMap((node, index) => compareNode(expected, node, index === 0));
  if (differences.length > 0) throw unlikeDeclared(world.name, differences);
  const { healed } = expected;
  if (healed !== undefined) host.progress.note(`world ${world.name}: ${healed}`);
  const versions = nodes[0]?.versions ?? {};
  return { formatVersion: FORMAT_VERSION, ...(healed === undefined ? {} : { healed }), versions, nodes };
}

function unlikeDeclared(world: string, differences: readonly OracleDifference[]): HostError {
  const lines = differences.map(
    ({ node, what, declared, found }) => `  ${node}: ${what}: declared ${declared}, found ${found}`,
  );
  return new HostError('LAB_ORACLE', `world ${world} is not what its variant declares\n${lines.join('\n')}`, {
    tryNext:
      'rerun with --keep and look inside with `npx whodunit shell`; when a suite has moved on, correct `suites` in matrix.yaml',
  });
}
