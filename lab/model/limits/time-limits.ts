/**
 * How long anything is waited for at most. All limits are here, so that a person who wonders why something took so long,
 * or was given up, looks in one place. docs/time-limits.md is made of this table and of lab/model/limits/scenario-times.ts.
 *
 * Most are generous: a node without KVM is 4 to 8 times slower, and several may share a processor. How often something is
 * looked at meanwhile is said where it is looked at.
 */

/** One limit. */
export interface TimeLimit {
  readonly ms: number;
  /** What is waited for, as the end of "at most so long for …". */
  readonly waitsFor: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Every limit, by what it is about. */
export const TIME_LIMITS = {
  cell: {
    victimRuns: { ms: 5 * MINUTE, waitsFor: 'the victim to run, before a stimulus' },
    staysDead: { ms: 5 * SECOND, waitsFor: 'a restart that must not come, unless the pod is over' },
    lastLook: {
      ms: MINUTE,
      waitsFor: "a look at the victim that is still under way when the cell's time is up",
    },
    recordersStart: { ms: 30 * SECOND, waitsFor: 'the witness and the kernel log of a node to be recorded' },
    kernelLogEnds: { ms: 30 * SECOND, waitsFor: 'the last lines of the kernel log' },
    question: { ms: 2 * MINUTE, waitsFor: 'the answer of a node to one question at the end' },
    runscLogs: { ms: MINUTE, waitsFor: 'the logs of gVisor from a node' },
    saving: { ms: MINUTE, waitsFor: 'evidence to be saved after an interrupt' },
    judging: { ms: SECOND, waitsFor: 'the judge of a cell to be done after an interrupt' },
    diskRelease: { ms: MINUTE, waitsFor: 'a slowed disk to be fast again after an interrupt' },
    imageImport: { ms: 5 * MINUTE, waitsFor: 'a node to import an image: 100 MB at 1 MB/s, then unpacking' },
    heartbeat: { ms: 30 * SECOND, waitsFor: 'the SSH server of a node to greet, before the next connection' },
  },
  cluster: {
    ready: { ms: 6 * MINUTE, waitsFor: 'nodes, control plane and CoreDNS to be ready' },
    probe: { ms: 6 * MINUTE, waitsFor: 'containerd, the kubelet or the pod network of a node to answer' },
    bootProbe: {
      ms: 10 * SECOND,
      waitsFor: 'what a node has from its boot on: its cgroup hierarchy, room on its disk',
    },
    pullProbe: { ms: 30 * SECOND, waitsFor: 'the proof that no image was pulled' },
    probeScript: { ms: MINUTE, waitsFor: 'the script of one probe' },
    resolvingPod: { ms: 6 * MINUTE, waitsFor: 'a pod to resolve a name of the cluster' },
    podIsGone: { ms: 2 * MINUTE, waitsFor: 'a deleted pod to be gone' },
    dnsIsPlaced: { ms: 3 * MINUTE, waitsFor: 'CoreDNS to be placed on the first node, before workers join' },
    subnet: { ms: 2 * MINUTE, waitsFor: 'a worker to get its pod subnet' },
    joinTicket: { ms: 2 * MINUTE, waitsFor: 'kubeadm to make a token for workers' },
    guestStep: { ms: 12 * MINUTE, waitsFor: 'one script that sets up a node, such as `kubeadm init`' },
    controlPlane: { ms: 8 * MINUTE, waitsFor: 'the control plane, inside `kubeadm init`' },
    kubeadmApiCall: { ms: 2 * MINUTE, waitsFor: 'one call of the API, inside `kubeadm init`' },
    etcdAnswers: {
      ms: 8 * SECOND,
      waitsFor: 'etcd to answer an API server that is asked for its health: the kubelet waits 15 s for that',
    },
    discovery: { ms: 5 * MINUTE, waitsFor: 'the cluster to be found, inside `kubeadm join`' },
    tlsBootstrap: { ms: 8 * MINUTE, waitsFor: "the kubelet's certificate, inside `kubeadm join`" },
    nodeFacts: {
      ms: 5 * MINUTE,
      waitsFor: 'a node and its kubelet to say what runs and how it is configured',
    },
    nodeFactsScript: { ms: 2 * MINUTE, waitsFor: 'the script that reads what a node runs' },
    sandboxPod: { ms: 4 * MINUTE, waitsFor: 'a pod of another runtime to start' },
    startFailure: {
      ms: 6 * MINUTE,
      waitsFor: 'a declared start failure to show in a journal of the node',
    },
    journal: { ms: MINUTE, waitsFor: 'one look for a declared start failure' },
  },
  world: {
    boot: { ms: 8 * MINUTE, waitsFor: 'a node to boot until its SSH server answers' },
    reboot: { ms: 10 * MINUTE, waitsFor: 'a rebooted node to answer, and its API' },
    rebootReady: {
      ms: 10 * MINUTE,
      waitsFor: 'a node to be Ready again after its cgroup driver was changed',
    },
    shutdown: { ms: 3 * MINUTE, waitsFor: 'a node to kill its pods and begin a reboot' },
    bootId: { ms: 20 * SECOND, waitsFor: 'a node to say which boot it is' },
    healthGate: { ms: 2 * MINUTE, waitsFor: 'each health check of a restored world' },
    leaseRenewal: { ms: 2 * MINUTE, waitsFor: 'a kubelet to renew its lease, which it does every 10 s' },
    clock: { ms: MINUTE, waitsFor: 'a restored node to take the time and new randomness' },
    diskCopy: { ms: 20 * MINUTE, waitsFor: 'the disk of a world to be copied for another world' },
    programSent: { ms: 5 * MINUTE, waitsFor: 'a program of 100 MiB to be sent to a node' },
    kubeadm: { ms: 5 * MINUTE, waitsFor: 'kubeadm to change the configuration of a node' },
    apiAgain: { ms: 6 * MINUTE, waitsFor: 'the API to answer after a node was changed' },
    crictl: { ms: MINUTE, waitsFor: 'one call of the runtime that removes pods of a changed node' },
    podsStop: { ms: 3 * MINUTE, waitsFor: 'all pods of a node to stop' },
    removeFolder: { ms: MINUTE, waitsFor: 'the folder of a world to be removed, when it did not come up' },
    removeMachines: {
      ms: 5 * MINUTE,
      waitsFor: 'the machines of a world to be removed, when it did not come up',
    },
  },
  machines: {
    firstAnswer: {
      ms: MINUTE,
      waitsFor: 'the first answer of a libvirt daemon, which looks at every QEMU binary',
    },
    socket: { ms: 30 * SECOND, waitsFor: 'libvirtd to open its socket' },
    virsh: { ms: MINUTE, waitsFor: 'one command of virsh' },
    snapshot: { ms: 10 * MINUTE, waitsFor: 'a snapshot, which writes or reads all memory of a node' },
    terraformLock: { ms: MINUTE, waitsFor: 'an interrupted Terraform to save its state' },
    terraformEnds: { ms: 2 * MINUTE, waitsFor: 'a stopped Terraform to save its state, before it is killed' },
    sshBanner: { ms: SECOND, waitsFor: 'the greeting of a booting node, before a new connection is tried' },
    sshHandshake: { ms: 20 * SECOND, waitsFor: 'the handshake of SSH' },
    sshSilent: {
      ms: 5 * MINUTE,
      waitsFor: 'a sign of life on an SSH connection: some cells make a node hang',
    },
    sshKeepalive: {
      ms: 10 * SECOND,
      waitsFor: 'the next word on a silent SSH connection, before a sign of life is asked for',
    },
  },
  api: {
    begins: { ms: 10 * SECOND, waitsFor: 'the API server to begin its answer' },
    request: { ms: 90 * SECOND, waitsFor: 'one request to the API server, before it counts as hanging' },
    idle: {
      ms: 30 * SECOND,
      waitsFor: 'the next request on a connection, before it is closed; the API server does so after 90 s',
    },
    exec: { ms: 90 * SECOND, waitsFor: 'a program that was started in a container to print something' },
    script: { ms: 5 * MINUTE, waitsFor: 'the questions of an autopsy to a node of a foreign cluster' },
    debugPodRuns: { ms: MINUTE, waitsFor: 'the debug pod of an autopsy to run' },
  },
  host: {
    kvmProof: { ms: 10 * SECOND, waitsFor: 'the test guest with KVM, which takes 0.1 s' },
    tcgProof: { ms: MINUTE, waitsFor: 'the test guest without KVM, which takes 0.4 s' },
    libvirtCheck: {
      ms: 10 * SECOND,
      waitsFor: 'libvirt to answer `doctor` or `gc`, which takes milliseconds when it is healthy',
    },
    systemctl: { ms: MINUTE, waitsFor: 'systemctl to start libvirt' },
    testOfCell: {
      ms: 120 * MINUTE,
      waitsFor:
        'a cell that is a test of vitest, beyond what its scenario allows: a world may have to be built',
    },
    releases: { ms: 30 * SECOND, waitsFor: 'the list of releases of a Go module, which has some kB' },
    unshare: { ms: 10 * SECOND, waitsFor: 'the check for user namespaces' },
    sudo: { ms: 10 * SECOND, waitsFor: 'sudo to say whether it needs a password' },
    apt: { ms: 20 * MINUTE, waitsFor: 'apt-get to install packages' },
    programEnds: { ms: 5 * SECOND, waitsFor: 'a stopped program to end, before it is killed' },
    lastWork: {
      ms: 2 * MINUTE,
      waitsFor: 'programs of a killed lab to save their state, before they are killed',
    },
    lockTakeover: { ms: 10 * SECOND, waitsFor: 'another lab to decide about the lock of a dead one' },
    registryStarts: { ms: MINUTE, waitsFor: 'the registry of a cell to answer' },
  },
  build: {
    downloadBegins: { ms: 5 * SECOND, waitsFor: 'a host to begin its answer to a download' },
    downloadStalls: { ms: 30 * SECOND, waitsFor: 'the next piece of a download' },
    download: { ms: 15 * MINUTE, waitsFor: 'a whole download' },
    checksum: { ms: MINUTE, waitsFor: 'a published checksum' },
    providerAnswer: { ms: 5 * SECOND, waitsFor: 'one answer of the registry of Terraform' },
    providerMirror: { ms: MINUTE, waitsFor: 'the registry of Terraform to give the provider' },
    rootFilesystem: { ms: 30 * MINUTE, waitsFor: 'mmdebstrap to install Debian' },
    image: { ms: 20 * MINUTE, waitsFor: 'the disk image to be written' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, TimeLimit>>>>;

/** What each group of limits is about, as a heading. */
export const LIMIT_GROUPS: Readonly<Record<keyof typeof TIME_LIMITS, string>> = {
  cell: 'A cell',
  cluster: 'A cluster that comes up',
  world: 'A world that is restored, changed or removed',
  machines: 'libvirt, Terraform and SSH',
  api: 'The API server',
  host: 'The host',
  build: 'Downloads and images',
};
