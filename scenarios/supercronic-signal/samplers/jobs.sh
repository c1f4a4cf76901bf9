# Processes of the container that are no zombies, and what supercronic says of the signal, in the log that the kubelet keeps.
[ -n "$VICTIM_PID" ] || exit 0
set -o pipefail
count=0
for folder in "${CGROUPS:-/sys/fs/cgroup}" "${CGROUPS:-/sys/fs/cgroup}/pids"; do
  [ -r "$folder$VICTIM_CGROUP/cgroup.procs" ] || continue
  while read -r pid; do
    { read -r _ _ state _ < "/proc/$pid/stat"; } 2> /dev/null || continue
    [ "$state" = Z ] || count=$((count + 1))
  done < "$folder$VICTIM_CGROUP/cgroup.procs"
done
echo "processes $count"
cat "${PODS:-/var/log/pods}"/*/"$VICTIM_CONTAINER"/*.log |
  awk '/waiting for jobs to finish/ { said++ } END { print "shutdowns-begun", said + 0 }'
