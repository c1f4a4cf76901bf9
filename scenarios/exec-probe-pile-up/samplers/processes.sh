[ -n "$VICTIM_PID" ] || exit 0
count=0
for pid in $(cat "/sys/fs/cgroup$VICTIM_CGROUP/cgroup.procs"); do
  [ "$(cut -d ' ' -f 3 "/proc/$pid/stat" 2> /dev/null)" = Z ] || count=$((count + 1))
done
echo "processes $count"
