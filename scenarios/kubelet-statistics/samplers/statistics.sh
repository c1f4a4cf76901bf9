# The number of the kubelet, which is some seconds old, less that of the cgroup, in MiB.
[ -n "$VICTIM_PID" ] || exit 0
node=$(kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes --output name) || exit 1
told=$(kubectl --kubeconfig /etc/kubernetes/admin.conf get --raw "/api/v1/nodes/${node#node/}/proxy/stats/summary" |
  perl -0ne 's/\s//g; print $1 if /"name":"memory-holder".*?"memory":\{.*?"usageBytes":(\d+)/') || exit 1
# The kubelet has not looked at it yet.
[ -n "$told" ] || exit 0
for file in "/sys/fs/cgroup$VICTIM_CGROUP/memory.current" "/sys/fs/cgroup/memory$VICTIM_CGROUP/memory.usage_in_bytes"; do
  [ ! -e "$file" ] || own=$(< "$file")
done
apart=$((told - own))
printf 'stats-apart %d.%02d\n' $((${apart#-} / 1048576)) $((${apart#-} % 1048576 * 100 / 1048576))
