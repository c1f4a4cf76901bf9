import type { DebianArchive } from './component-schema.ts';
import type { Inputs } from './inputs.ts';

/**
 * The guest base image: what goes in, and what comes out. `provision/image` makes it, `stacks` and `lab/world` use it.
 */

/** A built or downloaded component, as far as an image needs to know it. */
export interface ImageArtifact {
  readonly component: string;
  /** Exact version without a leading `v`: `1.34.2`. */
  readonly version: string;
  /** Where it came from: `gomod`, `release`, `local`. */
  readonly source: string;
  /** sha256 (hex) over the content of the files. */
  readonly digest: string;
  /** Absolute path of each program by its name: `kubelet`, `etcd`, `host-local`. */
  readonly files: Readonly<Record<string, string>>;
  /** Debian packages to install in the guest, for a component that comes from the suite. */
  readonly packages?: readonly string[];
}

/** Which kernel a guest boots. */
export type ImageKernel =
  /** The cloud kernel of a suite: `bookworm`, or of its backports: `bookworm-backports`. */
  | { readonly from: 'suite'; readonly suite: string }
  /** A local file, booted with the initrd of the suite: virtio and ext4 must be built in. `digest`: sha256 (hex). */
  | { readonly from: 'file'; readonly path: string; readonly digest: string };

/** What to bake. */
export interface ImageSpec {
  /** Debian suite: `bookworm`. */
  readonly suite: string;
  /** Where its packages come from; no part of what it is made of, because every mirror has the same. */
  readonly debian: DebianArchive;
  /** Exact version without a leading `v`. */
  readonly kubernetes: string;
  /**
   * Must hold kubelet, kubeadm, kube-apiserver, kube-controller-manager, kube-scheduler, kube-proxy, etcd, coredns,
   * bridge, host-local, loopback, portmap and the component `workloads` (with `pause`). kubectl, crictl, witness and
   * gVisor are optional; containerd and runc without files are those of the suite.
   */
  readonly artifacts: readonly ImageArtifact[];
  /** Default: the suite's own. */
  readonly kernel?: ImageKernel;
  /** Debian packages beside those of every guest and of components. */
  readonly packages?: readonly string[];
}

/** A baked image; all paths are absolute. */
export interface Image {
  /** sha256 (hex) over every input; the content of the folder never changes. */
  readonly digest: string;
  readonly inputs: Inputs;
  readonly dir: string;
  /**
   * Raw and sparse, to be used as a read-only backing file. Its root file system is the whole disk: `root=/dev/vda`.
   */
  readonly base: string;
  readonly kernel: string;
  readonly initrd: string;
  /** Private client key, mode 0600; logs in as root. */
  readonly sshKey: string;
  /** Public host key to pin, as in a known_hosts line without the host: `ssh-ed25519 AAAA…`. */
  readonly hostKey: string;
  /**
   * What is really in it, read back from the guest root: kernel, systemd, kubelet, kubeadm, containerd, runc, crun,
   * runsc, crictl …
   */
  readonly versions: Readonly<Record<string, string>>;
  /** Names of the preloaded container images. */
  readonly images: readonly string[];
}
