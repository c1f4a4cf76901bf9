import { getText } from '../drivers/files/files.ts';
import { connectGuest } from '../drivers/ssh/ssh.ts';
import type { Guest } from '../model/host/host.ts';
import { statePaths } from '../model/host/paths.ts';
import { TIME_LIMITS } from '../model/limits/time-limits.ts';
import type { Lab } from './lab.ts';
import type { WorldRecord } from './world-record.ts';

/** Opens SSH to every node of a record, pinned to the image's host key. */
export async function connectAll(lab: Pick<Lab, 'host'>, record: WorldRecord): Promise<Guest[]> {
  return connectNodes(
    lab,
    record,
    record.nodes.map(({ name }) => name),
  );
}

/** Opens SSH to some nodes of a record, in the record's order. */
export async function connectNodes(
  lab: Pick<Lab, 'host'>,
  record: WorldRecord,
  names: readonly string[],
): Promise<Guest[]> {
  const paths = statePaths(lab.host.stateDir).world(record.name);
  const privateKey = getText(record.image.sshKey);
  return Promise.all(
    record.nodes
      .filter(({ name }) => names.includes(name))
      .map((node) =>
        connectGuest(
          { name: node.name, port: node.sshPort, privateKey, hostKey: record.image.hostKey },
          lab.host,
          {
            timeoutMs: TIME_LIMITS.world.boot.ms,
            log: paths.console(node.name),
            tryNext: 'read the end of the console log below; `npx whodunit doctor` checks the host',
          },
        ),
      ),
  );
}
