# Cgroups below that of all pods that are removed and cannot be freed.
for pods in /sys/fs/cgroup/kubepods.slice /sys/fs/cgroup/kubepods; do
  [ ! -e "$pods/cgroup.stat" ] || awk '$1 == "nr_dying_descendants" { print "dying-cgroups", $2 }' "$pods/cgroup.stat"
done
