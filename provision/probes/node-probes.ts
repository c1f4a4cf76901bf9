import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';
import { NEVER, type NodeProbe } from './probe.ts';

/** Probes that hold in a guest right after boot, before the cluster exists. */
export function bootProbes(cgroup: string): NodeProbe[] {
  const fs = cgroup === 'v2' ? 'cgroup2fs' : 'tmpfs';
  return [
    {
      description: `/sys/fs/cgroup is ${fs} (cgroup ${cgroup})`,
      script: `t=$(stat -fc %T /sys/fs/cgroup); echo "/sys/fs/cgroup is $t"; [ "$t" = ${fs} ] || exit ${NEVER}`,
      hint: 'the kernel command line decides: `cat /proc/cmdline` in the guest',
      timeoutMs: TIME_LIMITS.cluster.bootProbe.ms,
    },
    CONTAINERD_ANSWERS,
  ];
}

/** Asks containerd for its version, which a dead or frozen one does not tell. */
export const CONTAINERD_ANSWERS: NodeProbe = {
  description: 'containerd answers on its socket',
  script:
    'if systemctl is-failed --quiet containerd; then systemctl status containerd --no-pager | tail -3; exit ' +
    `${NEVER}; fi; ctr version 2>&1 | tail -1`,
  hint: '`journalctl -u containerd` in the guest',
  timeoutMs: TIME_LIMITS.cluster.probe.ms,
};

/** Asks the health port of the kubelet from inside the node, without the API in between. */
export const KUBELET_HEALTH: NodeProbe = {
  description: 'the kubelet answers on its health port',
  script:
    'exec 3<>/dev/tcp/127.0.0.1/10248; printf "GET /healthz HTTP/1.0\\r\\n\\r\\n" >&3; ' +
    'answer=$(tail -1 <&3); echo "$answer"; [ "$answer" = ok ]',
  hint: '`journalctl -u kubelet` in the guest',
  timeoutMs: TIME_LIMITS.cluster.probe.ms,
};

/**
 * Asks how full the disk is. A kubelet looks at it every ten seconds; with less room than this its defaults call that
 * pressure (evictionHard, imagefs.available and nodefs.inodesFree).
 */
export const DISK_HAS_ROOM: NodeProbe = {
  description: 'the disk has room',
  script:
    'df --output=pcent,ipcent / | tail -1 | tr -d % | { read -r bytes inodes; ' +
    'echo "$bytes % of the bytes and $inodes % of the inodes are used"; ' +
    `[ "$bytes" -le 85 ] && [ "$inodes" -le 95 ] || exit ${NEVER}; }`,
  hint: '`df -h /; df -i /` in the guest',
  timeoutMs: TIME_LIMITS.cluster.bootProbe.ms,
};

/** Probes that hold in every node once kubeadm is done. */
export function clusterProbes(podSubnet: string): NodeProbe[] {
  return [
    KUBELET_HEALTH,
    {
      description: 'no image was pulled at run time',
      script: `! journalctl -u containerd --no-pager -o cat | grep -m1 'msg="PullImage' || exit ${NEVER}; echo 'nothing pulled'`,
      hint: 'an image is missing in the base image: `npx whodunit bake`',
      timeoutMs: TIME_LIMITS.cluster.pullProbe.ms,
    },
    {
      description: `the bridge of the pod network ${podSubnet} is up`,
      script: 'ip -4 -br addr show cni0',
      hint: 'look at /etc/cni/net.d and `journalctl -u containerd` in the guest',
      timeoutMs: TIME_LIMITS.cluster.probe.ms,
    },
  ];
}
