# Values of the node.
echo "overcommit-memory $(< /proc/sys/vm/overcommit_memory)"
echo "overcommit-ratio $(< /proc/sys/vm/overcommit_ratio)"
awk '$1 == "CommitLimit:" { printf "commit-limit %.1f\n", $2 / 1024 }' /proc/meminfo
echo "pid-max $(< /proc/sys/kernel/pid_max)"
echo "page-size $(getconf PAGESIZE)"
echo "cgroup-mounts $(grep -cE ' - cgroup2? ' /proc/self/mountinfo)"
echo "cpuset-hierarchies $(grep -cE ' - cgroup .*[ ,]cpuset' <(grep -vE ' - cgroup .*[ ,]cpu(,|$)' /proc/self/mountinfo))"
