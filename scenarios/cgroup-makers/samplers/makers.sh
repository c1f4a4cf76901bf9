# Folders of cgroups of the victim's pod, by the process that made them, from an own trace of the kernel.
tracing=${TRACING:-/sys/kernel/tracing}
own=$tracing/instances/cgroup-makers
made=${MADE:-/run/cgroups-made}
if [ ! -d "$own" ]; then
  # The kernel remembers the names of so many processes; those of runc live for a moment.
  echo 4096 > "$tracing/saved_cmdlines_size" || exit 1
  mkdir "$own" || exit 1
  echo 1 > "$own/events/cgroup/cgroup_mkdir/enable" || exit 1
fi
[ "$(< "$own/events/cgroup/cgroup_mkdir/enable")" = 1 ] || exit 1
# What is read from the pipe is gone from it. An empty one is an error (EAGAIN).
dd "if=$own/trace_pipe" iflag=nonblock bs=16K status=none 2> /dev/null >> "$made"

# The id of the pod stands in every name, with - or with _.
[[ $VICTIM_CGROUP =~ pod([0-9a-f]{8}[-_][0-9a-f_-]{27}) ]] || exit 0
# `systemd-1 [000] ..... 72.1: cgroup_mkdir: root=0 id=4242 level=3 path=/kubepods.slice/kubepods-pod….slice`
awk -v pod="pod${BASH_REMATCH[1]}" '
  !/: cgroup_mkdir: / || !index($0, pod) { next }
  $1 ~ /-1$/ { systemd++ }
  $1 ~ /^kubelet-/ { kubelet++ }
  $1 ~ /^runc/ { runc++ }
  END {
    print "cgroups-made-by-systemd", systemd + 0
    print "cgroups-made-by-kubelet", kubelet + 0
    print "cgroups-made-by-runc", runc + 0
  }' "$made"
