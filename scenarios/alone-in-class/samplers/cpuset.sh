# Whether the BestEffort class hands cpuset down.
if grep -qw cpuset /sys/fs/cgroup/kubepods.slice/kubepods-besteffort.slice/cgroup.subtree_control; then
  echo cpuset-missing 0
else
  echo cpuset-missing 1
fi
