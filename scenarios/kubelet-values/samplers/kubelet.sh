# What the kubelet says of its configuration, what its help says, and its process.
echo "kubelet-oom-score-adj $(< "/proc/$(pidof kubelet)/oom_score_adj")"
node=$(kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes --output name) || exit 1
configz=$(kubectl --kubeconfig /etc/kubernetes/admin.conf get --raw "/api/v1/nodes/${node#node/}/proxy/configz") || exit 1
[[ $configz =~ '"kubeAPIQPS":'([0-9]+) ]] || exit 1
echo "kube-api-qps ${BASH_REMATCH[1]}"
[[ $configz =~ '"eventRecordQPS":'([0-9]+) ]] || exit 1
echo "event-qps ${BASH_REMATCH[1]}"
echo "dockershim-flags $(kubelet --help | grep -c -- '--docker-endpoint ')"
