# The control plane. The configuration was written to /etc/kubernetes/kubeadm.yaml before.
if [ "$NODE_ROLE" = control-plane ] && { [ ! -f /etc/kubernetes/admin.conf ] || [ ! -f /var/lib/kubelet/whodunit-init-done ]; }; then
  kubeadm init --config /etc/kubernetes/kubeadm.yaml --ignore-preflight-errors="${IGNORE_PREFLIGHT:-none}" 2>&1
  touch /var/lib/kubelet/whodunit-init-done
fi
