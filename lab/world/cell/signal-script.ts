import type { StimulusOf } from '../../model/declared/stimulus.ts';

/**
 * A script that sends a signal from a shell outside every pod: to the first process of a container, to the youngest of
 * its others, to the pause process of its pod (its cgroup is next to the container's), or to the shim, their common
 * parent.
 */
export function signalScript(
  containerId: string,
  signal: string,
  to: StimulusOf<'node-signal'>['to'] = 'container',
): string {
  const target = {
    container: '"$init"',
    child: '"$child"',
    sandbox: `"$(find_pause)"`,
    shim: `"$(awk '/^PPid:/ {print $2}' "/proc/$init/status")"`,
  }[to];
  return `
dir=$(find /sys/fs/cgroup -type d -name '*${containerId}*' | head -n 1)
[ -n "$dir" ] || { echo 'no cgroup of container ${containerId}' >&2; exit 1; }
init=
child=
# crun puts the processes into a cgroup of their own below that of the container.
pids_in() { find "$1" -name cgroup.procs -exec cat {} + | sort -n; }
for pid in $(pids_in "$dir"); do
  if [ "$(awk '/^NSpid:/ {print $NF}' "/proc/$pid/status")" = 1 ]; then init=$pid; else child=$pid; fi
done
[ -n "$init" ] || { echo "no init process in $dir" >&2; exit 1; }
find_pause() {
  for pid in $(pids_in "$(dirname "$dir")"); do
    if [ "$(cat "/proc/$pid/comm")" = pause ]; then echo "$pid"; fi
  done
}
pid=${target}
[ -n "$pid" ] || { echo 'no ${to} process found' >&2; exit 1; }
kill -${signal.replace(/^SIG/, '')} "$pid"
echo "${signal} sent by pid $$ to pid $pid"
`;
}
