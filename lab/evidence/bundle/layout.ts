/** What the path of a file says of it. Everything else is read from its content. */
export interface PlaceInBundle {
  readonly node: string | undefined;
  /** The program whose log it is: `kubelet`. */
  readonly unit: string | undefined;
  /** Whether it was saved of a kernel that crashed: what it tells is of a boot that is over. */
  readonly isOfCrash: boolean;
}

/**
 * Where kdump and systemd-pstore save the log of a kernel that crashed: `var/crash/127.0.0.1-2024-05-06-10:00:00/vmcore-dmesg.txt`,
 * `var/crash/202405061000/dmesg.202405061000`, `var/lib/systemd/pstore/…/dmesg.txt`.
 */
const OF_CRASH = /(?:^|\/)(?:vmcore-dmesg[^/]*|dmesg\.\d{12}|(?:var\/crash|pstore)\/.*)$/;

/** Layouts of collectors that are known by name; the first that fits counts. */
const LAYOUTS: readonly RegExp[] = [
  // must-gather: one file of several nodes of a role.
  /(?:^|\/)host_service_logs\/[^/]+\/(?<unit>\w+)_service\.log$/,
  // must-gather and `oc adm inspect`: /nodes/<node>/…
  /(?:^|\/)nodes\/(?<node>[^/]+)\/(?:.*\/)?(?<unit>kubelet|crio|containerd|dmesg|journal)?[^/]*$/,
  // sosreport-<host>-<date>-<id>/…
  /(?:^|\/)sosreport-(?<node>[a-z0-9.-]+?)-(?:\d+-)?\d{4}-\d\d-\d\d-\w+\/(?:sos_commands\/logs\/journalctl_--no-pager_--unit_(?<unit>\w+)$)?/,
  /(?:^|\/)sos_commands\/logs\/journalctl_--no-pager_--unit_(?<unit>[\w-]+)/,
  // The EKS collector: eks_i-0123_2026-…/kubelet/kubelet.log
  /(?:^|\/)eks_(?<node>i-[0-9a-f]+)_[^/]+\/(?:(?<unit>kubelet|containerd|docker)\/[^/]+$)?/,
  // `kind export logs`: <node>/kubelet.log, <node>/containerd.log, <node>/journal.log
  /(?:^|\/)(?<node>[^/]+-(?:control-plane|worker)\d*)\/(?:(?<unit>kubelet|containerd|journal)\.log$)?/,
  // A folder of nodes, of which each has its files: the cells of the lab.
  /(?:^|\/)(?<node>node-\d+)\/(?:(?<unit>kubelet|containerd|system|tasks|kmsg)\b[^/]*$)?/,
  /(?:^|\/)(?<unit>kubelet|containerd|crio|dockerd|docker|kube-apiserver|kube-scheduler|kube-controller-manager|kube-proxy|etcd)(?:\/|[-_.][^/]*$)/,
];

/** Reads node and program from the path of a file, where a collector is known to put them there. */
export function readLayout(path: string): PlaceInBundle {
  let [node, unit]: (string | undefined)[] = [];
  for (const layout of LAYOUTS) {
    const found = layout.exec(path)?.groups;
    node ??= found?.['node'];
    unit ??= found?.['unit'];
  }
  return { node, unit, isOfCrash: OF_CRASH.test(path) };
}
