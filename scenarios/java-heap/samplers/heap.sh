# What the program printed of its heap, in MiB; from the log that the kubelet keeps.
[ -n "$VICTIM_PID" ] || exit 0
sed -n 's/^.* \(java-heap-most [0-9]*\)$/\1/p' /var/log/pods/*/"$VICTIM_CONTAINER"/*.log
awk '$1 == "VmRSS:" { printf "memory-resident %.1f\n", $2 / 1024 }' "/proc/$VICTIM_PID/status"
