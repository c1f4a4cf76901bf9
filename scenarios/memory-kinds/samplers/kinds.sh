# What is charged to the container, in MiB. `rss` of cgroup v1 is `anon` of v2, and `cache` is `file`.
[ -n "$VICTIM_PID" ] || exit 0
for file in "/sys/fs/cgroup$VICTIM_CGROUP/memory.stat" "/sys/fs/cgroup/memory$VICTIM_CGROUP/memory.stat"; do
  [ -e "$file" ] || continue
  awk '
    $1 == "anon" || $1 == "rss" { printf "memory-anon %.1f\n", $2 / 1048576 }
    $1 == "file" || $1 == "cache" { printf "memory-file %.1f\n", $2 / 1048576 }
    $1 == "shmem" { printf "memory-shmem %.1f\n", $2 / 1048576 }' "$file"
done
