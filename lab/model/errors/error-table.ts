/** One error. Both texts are Markdown, as `docs/errors.md` prints them. */
export interface ErrorRow {
  /** What has happened. */
  readonly means: string;
  /** What the reader does about it. */
  readonly fix: string;
}

/** Errors of one kind. All end the process with the same exit code. */
export interface ErrorGroup {
  readonly exit: 'usage' | 'host' | 'internal' | 'interrupted';
  readonly errors: Readonly<Record<string, ErrorRow>>;
}

/** The table of error codes, under the headings of `docs/errors.md`, which is generated from it. */
export const ERROR_TABLE = {
  'Command line and files': {
    exit: 'usage',
    errors: {
      LAB_USAGE: {
        means:
          'An unknown verb, flag, axis, value, scenario, run or world, or words that select nothing; also flags that npm took for itself. All wrong words are named at once, with the nearest name.',
        fix: 'take the name that is proposed, or `npx whodunit help <verb>`.',
      },
      LAB_CONFIG: {
        means:
          '`matrix.yaml`, `components.yaml`, a `scenario.yaml` or a manifest is wrong; of `whodunit judge`, a saved `cell.json`. Every problem of every file is listed, of broken syntax only the first: file, line and column, path, what was expected, what was received, and the nearest name. Manifests are checked against the Kubernetes release that runs them ([what is checked](writing-a-scenario.md#what-is-checked)).',
        fix: 'correct them; `npx whodunit list` checks matrix and scenarios again in a second and starts nothing. Saved cells are not for editing: [what is let through](run-folder.md#judging-again), and which version can judge the rest.',
      },
    },
  },
  'The host': {
    exit: 'host',
    errors: {
      LAB_HOST: {
        means:
          'The host is not ready, and not all of it can be repaired without asking. Nothing was started.',
        fix: 'the fixes it prints; `npx whodunit doctor --fix` makes the safe ones.',
      },
      LAB_NODEJS: { means: 'Node itself is older than 20.', fix: 'install Node 20 or 22.' },
      LAB_BOOTSTRAP: {
        means:
          'The node modules could not be installed: npm is missing, `npm ci` failed, or another lab has been installing for 10 minutes.',
        fix: 'run the printed line by hand and read what npm says, most often a registry that is not reachable.',
      },
      LAB_COMMAND_NOT_FOUND: {
        means: 'A program that we need is not on PATH.',
        fix: '`npx whodunit doctor --fix`.',
      },
      LAB_COMMAND: {
        means:
          'A program ended with an error, ran into its time limit, was killed, or printed too much. The message holds the command, ready to paste, and the end of what it printed.',
        fix: 'run that command by hand.',
      },
      LAB_OUTPUT: {
        means:
          'Standard output could not be written, most often because the disk of that file is full. A reader that closes the pipe (`| head`) is no error.',
        fix: 'free some disk, or send the output elsewhere. What the verb did stays done.',
      },
      LAB_QEMU: {
        means: 'QEMU cannot boot a test guest here, not even emulated.',
        fix: '`npx whodunit doctor`, which prints what QEMU said; reinstall QEMU.',
      },
      LAB_LIBVIRT: {
        means:
          'libvirt does not answer, its daemons could not be started, its session socket was not found, or it still has a machine of a world that was to be removed.',
        fix: '`npx whodunit doctor --fix`; as a normal user `virsh -c qemu:///session uri`.',
      },
      LAB_PORTS: {
        means:
          'No TCP port is free on 127.0.0.1, or no UDP port for the network between the nodes of a world.',
        fix: '`ss -lntup`.',
      },
      LAB_DISK: {
        means:
          'The disk is full or read-only, so that the named file could not be written; or baking an image would fill it, with both figures in the message.',
        fix: 'free some disk (`npx whodunit gc`; `.lab/cache/` is safe to delete while no world is up), or set `WHODUNIT_CACHE`.',
      },
    },
  },
  'The state folder': {
    exit: 'host',
    errors: {
      LAB_BUSY: {
        means:
          'Another lab uses the same state folder, and `--no-wait` was given; it is named with its process and start. Without that flag `up`, `down`, `run`, `repro`, `gc`, `bake` and `cache prune` wait and say for whom; other verbs need no turn.',
        fix: 'leave out `--no-wait`, or give the second lab its own folder with `WHODUNIT_HOME`.',
      },
      LAB_LOCK: {
        means:
          'The state folder cannot be written, or its file system has no hard links, so two labs could not be kept apart.',
        fix: 'free some disk, make it writable, or set `WHODUNIT_HOME` to a folder on a Linux file system.',
      },
      LAB_STATE_FOLDER: {
        means:
          'The state folder, the cache, or the folder in `/run/lock` in which labs say what they take, belongs to another user, or other users may write to it (of the state folder: enter it) and it holds more than ours, so that it was not closed without asking. Nothing was started.',
        fix: 'the command that it prints, or a folder of its own: `WHODUNIT_HOME`, `WHODUNIT_CACHE`.',
      },
      LAB_LEASES: {
        means: 'The list of what must be cleaned up could not be written, so nothing was made.',
        fix: 'free some disk, make it writable, or set `WHODUNIT_HOME` to a folder on a Linux file system.',
      },
      LAB_STATE_FILE: {
        means:
          'A file of the state folder, or of a saved run, is not what this version writes: cut short, edited, from another version, no regular file, too large, or a link that leads elsewhere. It was not read.',
        fix: 'move the named file or folder away and run the command again.',
      },
      LAB_NOT_OURS: {
        means:
          'Cleaning up met something that may belong to somebody else (outside of our folder, or with something mounted in it), and left it alone.',
        fix: 'look at it, and remove it by hand if nobody needs it.',
      },
    },
  },
  Components: {
    exit: 'host',
    errors: {
      LAB_COMPONENT_UNAVAILABLE: {
        means:
          "No source has that version; the reason of each source is printed. A Go module that does not resolve is named with its version: not every patch release is a module that Go's checksum database knows.",
        fix: 'check the version and the network.',
      },
      LAB_COMPONENT_CHECKSUM: {
        means:
          "A download has another digest than its project publishes, or than is locked ([where programs come from](supply.md)), or Go's checksum database refuses it. It was not used, and no other source was tried.",
        fix: 'find out whether something on the way changes files, or the project changed a release; do not turn the check off. To accept another digest, remove its entry from the lock that is named.',
      },
      LAB_COMPONENT_UNLOCKED: {
        means:
          'With `--locked`, nothing is taken whose digest `components.lock.yaml` does not have. All that it lacks are named, and nothing was built.',
        fix: '`npx whodunit lock` with the same words, on a host that reaches the projects; commit the file.',
      },
      LAB_COMPONENT_ARCHIVE: {
        means: 'The archive does not hold the programs that `components.yaml` names.',
        fix: '`tar -tf` the archive and correct `members`.',
      },
      LAB_COMPONENT_BUILD: {
        means:
          'A program could not be built. What the compiler said of it is printed, the rest is in the log. Or the OpenAPI definitions that older Kubernetes releases are compiled with were not generated.',
        fix: 'read the log that is named; the usual causes are a full disk, too little memory and a network that stops. A release whose code does not compile needs another Go (`go`) or a generated file (`openapi`) in `components.yaml`.',
      },
      LAB_HOST_PACKAGES: {
        means:
          'A component with parts in C (an exact runc) is built with a compiler and libraries that this host does not have. As root, or where sudo asks for no password, they are installed automatically.',
        fix: 'the line that is printed; then run again. No other component needs them.',
      },
      LAB_GO_MISSING: {
        means: 'Go was not found, on PATH or where Debian and its installer put it.',
        fix: '`npx whodunit doctor --fix`.',
      },
      LAB_TERRAFORM_MISSING: {
        means: 'There is no Terraform or OpenTofu on PATH, and the one that was built holds no program.',
        fix: 'install Terraform 1.5 or newer, or OpenTofu.',
      },
      LAB_PROVIDER_MISSING: {
        means: 'The Terraform provider for libvirt was neither fetched nor built.',
        fix: 'correct `components.yaml`; delete `.lab/cache/providers/`, which is made again.',
      },
    },
  },
  'The image': {
    exit: 'host',
    errors: {
      LAB_NO_DEBIAN_MIRROR: {
        means: "The host's apt knows no Debian archive to build guests from.",
        fix: 'add one to `/etc/apt/sources.list.d/`, then `apt-get update`.',
      },
      LAB_KEYRING: {
        means: "Debian's archive keys are missing, so packages cannot be verified.",
        fix: '`apt-get install debian-archive-keyring`.',
      },
      LAB_IMAGE_INPUT: {
        means:
          'Something that the image is made of does not fit: a program no component provides, an image kubeadm wants and nobody builds, an etcd of another minor release than kubeadm expects.',
        fix: 'correct the versions in `components.yaml`; for a damaged root file system delete the file that is named.',
      },
      LAB_IMAGE_PRELOAD: {
        means: 'containerd did not keep an image that was loaded into its store while baking.',
        fix: '`npx whodunit bake` again. If it stays, [report it](../SUPPORT.md#report-a-bug) with the message.',
      },
    },
  },
  'Worlds and nodes': {
    exit: 'host',
    errors: {
      LAB_PROBE_TIMEOUT: {
        means:
          'A condition did not become true in time, or became impossible. The message names the condition, the time, and the last thing seen.',
        fix: 'read the log that is named (`.lab/worlds/<variant>/`), or `npx whodunit up --keep` and then `npx whodunit shell`.',
      },
      LAB_SSH_HOST_KEY: {
        means:
          'Another machine answers on the port of our node: a forgotten one, or a program that took the port.',
        fix: '`npx whodunit gc`, then `npx whodunit up`.',
      },
      LAB_SSH_LOST: {
        means:
          'The connection to a node broke while a command ran: the guest crashed, or the host ran out of memory and killed it.',
        fix: '`.lab/worlds/<variant>/node-1.console.log` and `dmesg` of the host; then `npx whodunit up`.',
      },
      LAB_SSH_LISTEN: {
        means: 'A node does not let the lab listen on a port of its loopback: somebody does already.',
        fix: 'choose another port for what the scenario starts on the node.',
      },
      LAB_REGISTRY: {
        means:
          'The registry of a cell did not start, ended before the cell was over, or did not take an image.',
        fix: 'the last thing seen is what it said; look at free disk and memory of the host, and run the cell again.',
      },
      LAB_SNAPSHOT: {
        means:
          'QEMU did not load the snapshot of a node; or the machines of a saved world, from which another one is derived, are gone or were started by somebody meanwhile. A world that cannot be derived is built from its image.',
        fix: '`npx whodunit down`, then `npx whodunit up` builds the world again.',
      },
      LAB_UNHEALTHY: {
        means:
          "After a restore a part of the control plane had to start anew, a certificate is outside its window, or the clock of a node could not be set, so the world would not be a pristine one. It is restored once more in new processes, then built again, and the run's events say so; the error is seen when that did not help either.",
        fix: 'look at the load and the clock of the host; `npx whodunit down`, then `npx whodunit up`.',
      },
      LAB_MEMORY: {
        means:
          'A world does not fit into the memory that can be had now, not even with every idle world parked.',
        fix: 'end other programs, or choose a variant with fewer nodes.',
      },
      LAB_START_FAILURE: {
        means:
          'The variant is declared unable to start pods (`startFailures` in `matrix.yaml`), and so it was: the line that containerd logged is shown. `run` reports its cells as skipped, with that line.',
        fix: 'read the source that is named, or choose another variant.',
      },
      LAB_STARTED_ANYWAY: {
        means:
          'The variant is declared unable to start pods (`startFailures` in `matrix.yaml`), but pods start: the declaration is wrong.',
        fix: 'correct it; until then its cells are inconclusive.',
      },
      LAB_ORACLE: {
        means:
          'A world that was built is not what its variant declares: another version, cgroup driver, kubelet setting or place of a process. Every difference is named with what was declared and what was found; nothing was run in it.',
        fix: '`npx whodunit up <variant> --keep` and look inside with `npx whodunit shell`. When a Debian suite has moved on, correct its line under `suites` in `matrix.yaml`.',
      },
      LAB_KUBECONFIG: {
        means: 'The kubeconfig of a world names no cluster.',
        fix: '`npx whodunit down`, then `npx whodunit up`.',
      },
      LAB_API: {
        means:
          'The Kubernetes API of a world did not answer: its node hangs, or the host is too busy to emulate it. The cell has no verdict; the next one gets a restored world.',
        fix: 'run the cell again, alone; read `node-1.console.log` of the world when it happens again.',
      },
      LAB_KUBERNETES_EXEC: {
        means:
          "A scenario's stimulus of kind `exec` was refused by the API or the kubelet, or nothing of its process was heard for 90 seconds. The process has to print something when it starts.",
        fix: '`npx whodunit logs kubelet`, and try the command with `npx whodunit kubectl exec`.',
      },
      LAB_NODE: {
        means: 'A pod runs on a node that the world does not have.',
        fix: '`npx whodunit kubectl get nodes`; `npx whodunit down`, then `npx whodunit up`.',
      },
    },
  },
  'A bug of ours': {
    exit: 'internal',
    errors: {
      LAB_INTERNAL: {
        means: 'A bug of whodunit (exit 70).',
        fix: 'report it with the whole text: [SUPPORT.md](../SUPPORT.md#report-a-bug) says where, and what else to send.',
      },
    },
  },
  Interrupted: {
    exit: 'interrupted',
    errors: {
      LAB_INTERRUPTED: {
        means:
          'Ctrl-C or SIGTERM (exit 130). What was started is undone before the command ends; after a second Ctrl-C it is not.',
        fix: '`npx whodunit gc` after a second Ctrl-C.',
      },
    },
  },
} as const satisfies Readonly<Record<string, ErrorGroup>>;
