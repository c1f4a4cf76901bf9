# Folders of the container, and limits for memory of it and its pod. Without one cgroup v1 has a number of more than 2^60.
[ -n "$VICTIM_PID" ] || exit 0
id=${VICTIM_CGROUP%.scope}
echo "cgroup-folders $(find /sys/fs/cgroup -type d -name "*${id: -64}*" | wc -l)"
limited=0
for path in "$VICTIM_CGROUP" "${VICTIM_CGROUP%/*}"; do
  for file in "/sys/fs/cgroup$path/memory.max" "/sys/fs/cgroup/memory$path/memory.limit_in_bytes"; do
    [ -e "$file" ] || continue
    limit=$(< "$file")
    [ "$limit" = max ] || ((limit > 1 << 60)) || limited=$((limited + 1))
  done
done
echo "limited-cgroups $limited"
