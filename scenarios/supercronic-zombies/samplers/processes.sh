# Zombies among the processes of the victim's container: all that descend from its first process, which adopts orphans.
# The cgroup is no help: a zombie is in no cgroup.procs (Documentation/admin-guide/cgroup-v2.rst).
[ -n "$VICTIM_PID" ] || exit 0
cat /proc/[0-9]*/stat 2> /dev/null | awk -v first="$VICTIM_PID" '
  { pid = $1; sub(/^.*\) /, ""); parent[pid] = $2; if ($1 == "Z") zombie[pid] }
  END {
    for (pid in zombie) {
      for (each = pid; each in parent && each != first; each = parent[each]);
      if (each == first) count++
    }
    print "zombies", count + 0
  }'
for folder in /sys/fs/cgroup /sys/fs/cgroup/pids; do
  [ ! -r "$folder$VICTIM_CGROUP/pids.current" ] || echo "pids $(cat "$folder$VICTIM_CGROUP/pids.current")"
done
