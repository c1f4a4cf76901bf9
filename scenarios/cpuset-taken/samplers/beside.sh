# What the parameter `watch` asks for; the first run begins to record it.
tracing=/sys/kernel/tracing
own=$tracing/instances/hands-down
case $watch in
  bus)
    [ -e /run/bus-calls ] || systemd-run --quiet --unit=bus-calls --property=StandardOutput=file:/run/bus-calls \
      stdbuf --output=L busctl monitor --match="member='SetUnitProperties'" --match="member='StartTransientUnit'" || exit 1
    systemctl --quiet is-active bus-calls.service || exit 1
    # Nothing is counted yet while the file is not there.
    [ -e /run/bus-calls ] || exit 0
    echo "unit-changes-asked-for $(grep -c 'Member=SetUnitProperties' /run/bus-calls)"
    echo "units-asked-for $(grep -c 'Member=StartTransientUnit' /run/bus-calls)"
    ;;
  writers)
    # A probe changes code of the kernel while it runs, which has hung an emulated node: no other cell has one.
    # The name of the folder is that of the file's parent: of->kn->parent->name (include/linux/kernfs.h).
    if [ ! -d "$own" ]; then
      echo 'p:hands_down/write cgroup_subtree_control_write folder=+0(+16(+8(+0($arg1)))):string what=+0($arg2):string' \
        >> "$tracing/kprobe_events" || exit 1
      mkdir "$own" || exit 1
      echo 1 > "$own/events/hands_down/write/enable"
    fi
    [ "$(< "$own/events/hands_down/write/enable")" = 1 ] || exit 1
    # `systemd-1 [000] ..... 72.1: write: (cgroup_subtree_control_write+0x0/0x3c0) folder="…" what="-cpuset"`
    awk '
      !/folder="kubepods-burstable.slice"/ { next }
      /-cpuset/ { if ($1 == "systemd-1") taken++; else others++ }
      /\+cpuset/ && $1 ~ /^kubelet-/ { given++ }
      END {
        print "cpuset-taken-by-systemd", taken + 0
        print "cpuset-taken-by-others", others + 0
        print "cpuset-given-by-kubelet", given + 0
      }' "$own/trace"
    ;;
esac
