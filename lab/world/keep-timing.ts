import { appendLine } from '../drivers/files/files.ts';
import type { Host } from '../model/host/host.ts';
import { statePaths } from '../model/host/paths.ts';
import type { PastTiming } from '../plan/worlds/estimate.ts';

/** Keeps what something took, for the estimates of later plans. */
export function keepTiming({ stateDir }: Pick<Host, 'stateDir'>, timing: PastTiming): void {
  appendLine(statePaths(stateDir).timings, JSON.stringify(timing));
}
