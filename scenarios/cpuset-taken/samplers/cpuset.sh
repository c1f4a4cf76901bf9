# Whether the Burstable class hands cpuset down, how often it came back, and what the trigger did.
missing=1
! grep -qw cpuset /sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/cgroup.subtree_control || missing=0
before=0 returns=0
[ ! -e /run/cpuset-before ] || read -r before returns < /run/cpuset-before
[ "$before$missing" != 10 ] || returns=$((returns + 1))
echo "$missing $returns" > /run/cpuset-before
echo "cpuset-missing $missing"
echo "cpuset-returns $returns"
[ ! -e /run/cpuset-lost ] || echo "cpuset-lost $(< /run/cpuset-lost)"
case $VICTIM_CGROUP in
  '') ;;
  /system.slice/*) echo in-system-slice 1 ;;
  *) echo in-system-slice 0 ;;
esac
