import type { Host } from '../model/host.ts';
import type { CellRecord } from '../model/observation.ts';
import type { Scenario } from '../model/scenario.ts';
import { HostError } from '../model/errors.ts';
import { waitUntilRunning } from './observe.ts';
import type { PodWatch } from './pod-watch.ts';
import type { World } from './world.ts';

const START_TIMEOUT_MS = 120_000;

/** Does to the victim what the scenario says, once it runs, and records what was done. */
export async function stimulate(
  host: Host,
  world: World,
  watch: PodWatch,
  stimulus: Scenario['stimulus'][number],
): Promise<CellRecord['stimuli'][number]> {
  const view = await waitUntilRunning(host, watch, stimulus.afterSeconds, START_TIMEOUT_MS);
  const guest = world.guests.find((each) => each.name === view.node);
  if (guest === undefined)
    throw new HostError('LAB_NODE', `pod ${view.pod} runs on unknown node ${view.node}`);
  const at = new Date(host.clock.now()).toISOString();
  const output = await guest.must(signalScript(view.containerId, stimulus.signal));
  return { kind: stimulus.kind, at, node: guest.name, detail: output.trim() };
}

/** Sends a signal to the init process of a container from a shell outside every pod. */
export function signalScript(containerId: string, signal: string): string {
  return `
dir=$(find /sys/fs/cgroup -type d -name '*${containerId}*' | head -n 1)
[ -n "$dir" ] || { echo 'no cgroup of container ${containerId}' >&2; exit 1; }
for pid in $(cat "$dir/cgroup.procs"); do
  if [ "$(awk '/^NSpid:/ {print $NF}' "/proc/$pid/status")" = 1 ]; then
    kill -${signal.replace(/^SIG/, '')} "$pid"
    echo "${signal} sent by pid $$ to pid $pid"
    exit 0
  fi
done
echo 'no init process in '"$dir" >&2
exit 1
`;
}
