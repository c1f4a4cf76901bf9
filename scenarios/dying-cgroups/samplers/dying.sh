# Cgroups that are removed and cannot be freed, and what it costs to read the statistics of the one that they were in;
# and what the kubelet costs.
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  jobs=/sys/fs/cgroup/jobs
  [ -d "$jobs" ] || exit 0
  while read -r name value; do
    [ "$name" != nr_dying_descendants ] || dying=$value
  done < "$jobs/cgroup.stat"
else
  # v1 counts those that live and those that are dying together; every cgroup that lives is a folder.
  jobs=/sys/fs/cgroup/memory/jobs
  [ -d "$jobs" ] || exit 0
  while read -r name _ count _; do
    [ "$name" != memory ] || dying=$((count - $(find /sys/fs/cgroup/memory -type d | wc -l)))
  done < /proc/cgroups
fi
echo "dying-cgroups $((dying > 0 ? dying : 0))"
before=${EPOCHREALTIME/./}
read -r -d '' _ < "$jobs/memory.stat"
took=$((${EPOCHREALTIME/./} - before))
printf 'memory-stat-read-ms %d.%03d\n' $((took / 1000)) $((took % 1000))
# utime and stime, in hundredths of a second; the name before them, in parentheses, has no blank.
read -r -a fields < "/proc/$(pidof kubelet)/stat"
ticks=$((fields[13] + fields[14]))
printf 'cpu-of-kubelet %d.%02d\n' $((ticks / 100)) $((ticks % 100))
