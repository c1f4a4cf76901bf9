# What the program has asked for, and what it uses.
[ -n "$VICTIM_PID" ] || exit 0
awk '
  $1 == "VmSize:" { printf "memory-reserved %.1f\n", $2 / 1024 }
  $1 == "VmRSS:" { printf "memory-resident %.1f\n", $2 / 1024 }' "/proc/$VICTIM_PID/status"
