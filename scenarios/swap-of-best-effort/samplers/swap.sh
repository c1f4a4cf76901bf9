[ -n "$VICTIM_CGROUP" ] || exit 0
most=$(cat "/sys/fs/cgroup$VICTIM_CGROUP/memory.swap.max") || exit 0
[ "$most" != max ] || most=$(($(awk '/^SwapTotal/ { print $2 }' /proc/meminfo) * 1024))
echo "swap-allowed $((most / 1048576))"
