# What the cgroup of the program has used, and for how long its limit held it back.
read -r pid < <(pgrep -f '^/bin/burn-cpu burner') || exit 0
while IFS=: read -r _ controllers path; do
  case ",$controllers," in
    ,,) [ ! -e "/sys/fs/cgroup$path/cpu.stat" ] || folder=/sys/fs/cgroup$path ;;
    *,cpu,*) folder=/sys/fs/cgroup/cpu$path && break ;;
  esac
done < "/proc/$pid/cgroup"
while read -r name value; do
  case $name in
    usage_usec) used=$value ;;
    throttled_usec) held=$value ;;
    throttled_time) held=$((value / 1000)) ;; # cgroup v1, in nanoseconds
  esac
done < "$folder/cpu.stat"
[ -n "$used" ] || used=$(($(< "$folder/cpuacct.usage") / 1000))
printf 'cpu-time-s %d.%06d\n' $((used / 1000000)) $((used % 1000000))
printf 'cpu-throttled-s %d.%06d\n' $((held / 1000000)) $((held % 1000000))
