# The line of /proc/meminfo that the program printed last, in MiB; from the log that the kubelet keeps.
[ -n "$VICTIM_PID" ] || exit 0
cat /var/log/pods/*/"$VICTIM_CONTAINER"/*.log | awk '
  match($0, /MemTotal: +[0-9]+ kB/) { split(substr($0, RSTART, RLENGTH), words, " +"); seen = words[2] / 1024 }
  END { if (seen) printf "memory-seen-inside %.1f\n", seen }'
