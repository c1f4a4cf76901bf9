# A worker. The configuration was written to /etc/kubernetes/join.yaml before.
if [ "$NODE_ROLE" = worker ] && [ ! -f /var/lib/kubelet/whodunit-join-done ]; then
  kubeadm join --config /etc/kubernetes/join.yaml --ignore-preflight-errors="${IGNORE_PREFLIGHT:-none}" 2>&1
  touch /var/lib/kubelet/whodunit-join-done
fi
