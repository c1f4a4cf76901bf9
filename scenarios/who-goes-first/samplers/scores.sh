# The score of the victim, and how far the highest other one in the cgroups of pods is above it.
[ -n "$VICTIM_PID" ] || exit 0
own=$(< "/proc/$VICTIM_PID/oom_score")
highest=0
while read -r pid; do
  [ "$pid" != "$VICTIM_PID" ] || continue
  # A process may end in between.
  { read -r score < "/proc/$pid/oom_score"; } 2> /dev/null || continue
  [ "$score" -le "$highest" ] || highest=$score
done < <(find /sys/fs/cgroup/kubepods* /sys/fs/cgroup/memory/kubepods* -name cgroup.procs -exec cat {} + 2> /dev/null)
echo "oom-score $own"
echo "oom-score-behind $((highest - own))"
