import { minorOf } from './releases.ts';

/** What decides the kubelet's configuration. */
export interface KubeletSettings {
  /** Exact version without `v`: 1.34.2. */
  readonly kubernetes: string;
  /** The driver that the kubelet is given; it may ask the runtime instead (see `lab/world/oracle/expected.ts`). */
  readonly cgroupDriver: 'systemd' | 'cgroupfs';
  readonly cgroup: 'v1' | 'v2';
  /** Fields that the variant's knobs set; each replaces ours of the same name. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * The KubeletConfiguration of a node as plain data. Only fields that the release knows: an unknown one costs no more
 * than a line in the kubelet's log ("Using lenient decoding", `pkg/kubelet/kubeletconfig/util/codec/codec.go`, 1.22 to
 * 1.37) and is then as good as not written. The oracle reads back from the running kubelet whether it uses what it was
 * given.
 *
 * kubeadm sets `rotateCertificates: true` whatever it is given (`componentconfigs/kubelet.go`), so it is not here.
 */
export function planKubelet(settings: KubeletSettings): Record<string, unknown> {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    cgroupDriver: settings.cgroupDriver,
    // The clock of a restored world jumps forward. The kubelet must not remove images by itself.
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '5%', 'nodefs.inodesFree': '5%' },
    // The lease is renewed at a quarter of this: every 2 s, so that a restored world proves soon that it lives.
    nodeLeaseDurationSeconds: 8,
    ...(settings.cgroup === 'v1' && knowsFailCgroupV1(settings.kubernetes) ? { failCgroupV1: false } : {}),
    ...settings.fields,
  };
}

/**
 * Whether the kubelet has the field that lets it run on cgroup v1: since 1.31 (`FailCgroupV1` in
 * `staging/src/k8s.io/kubelet/config/v1beta1/types.go`). Its default became true, which refuses, in 1.35.
 */
function knowsFailCgroupV1(kubernetes: string): boolean {
  return minorOf(kubernetes) >= 31;
}
