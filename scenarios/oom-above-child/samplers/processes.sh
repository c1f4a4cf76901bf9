# Processes of the container that are no zombies.
[ -n "$VICTIM_PID" ] || exit 0
count=0
while read -r pid; do
  { read -r _ _ state _ < "/proc/$pid/stat"; } 2> /dev/null || continue
  [ "$state" = Z ] || count=$((count + 1))
done < "/sys/fs/cgroup/memory$VICTIM_CGROUP/cgroup.procs"
echo "processes $count"
