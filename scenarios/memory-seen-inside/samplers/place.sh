# Where the first process of the container is: under gVisor that is the process of the sandbox. And what runsc warned of.
[ -n "$VICTIM_PID" ] || exit 0
case $VICTIM_CGROUP in
  /system.slice/*) echo in-system-slice 1 ;;
  *) echo in-system-slice 0 ;;
esac
# The id of the container whose cgroup it is ends its path: <id>, cri-containerd-<id>.scope or …:cri-containerd:<id>.
id=${VICTIM_CGROUP%.scope}
id=${id: -64}
pause=0
! grep -qs '"io.kubernetes.cri.container-type": *"sandbox"' \
  "$TASKS/$id/config.json" || pause=1
echo "in-cgroup-of-pause $pause"
echo "systemd-path-warnings $(cat /var/log/runsc/*/*create* 2> /dev/null | grep -c 'looks like a systemd path')"
