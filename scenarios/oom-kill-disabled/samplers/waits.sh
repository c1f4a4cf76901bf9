# Whether the container, or its pod, waits at its limit.
[ -n "$VICTIM_PID" ] || exit 0
container=/sys/fs/cgroup/memory$VICTIM_CGROUP
if cat "$container/memory.oom_control" "${container%/*}/memory.oom_control" | grep -qx 'under_oom 1'; then
  echo under-oom 1
else
  echo under-oom 0
fi
