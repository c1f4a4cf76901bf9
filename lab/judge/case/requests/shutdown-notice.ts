import type { SystemSaid } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';
import { GOING_DOWN_MS } from '../../records/tolerances.ts';
import { isNear } from '../../records/times.ts';

/** Finds the line in which systemd or logind says, near a time, that the node of the case goes down. */
export function findShutdownNotice(file: GatheredCase, at: number): SystemSaid | undefined {
  return file.index
    .of('system-said')
    .find(
      (line) =>
        line.about === 'shutdown' &&
        line.node === file.node &&
        isNear(line.at, at, GOING_DOWN_MS, { unknown: 'does not' }),
    );
}
