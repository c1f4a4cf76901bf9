/** One error. Both texts are Markdown, as `docs/errors.md` prints them. */
interface ErrorRow {
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
          'A verb, flag, axis, value, scenario, run or world is unknown, or the words select nothing, or npm took a flag for itself. Every wrong word is named, with the nearest name that exists.',
        fix: 'use the suggested name, or read `npx whodunit help <verb>`.',
      },
      LAB_CONFIG: {
        means:
          '`matrix.yaml`, `components.yaml`, a `scenario.yaml` or a manifest is wrong (with `judge`: a saved `cell.json`). All problems of all files are listed, but only the first syntax error of a file. Each has file, line, column and path, what was expected and received, and the nearest name. Manifests are checked against the Kubernetes release that runs them ([what is checked](writing-a-scenario.md#what-is-checked)).',
        fix: 'correct them. `npx whodunit list` checks matrix and scenarios in a second and starts nothing. Do not edit saved cells: see [what is let through](run-folder.md#judging-again), and which version can judge the rest.',
      },
    },
  },
  'The host': {
    exit: 'host',
    errors: {
      LAB_HOST: {
        means:
          'The host is not ready, and part of it cannot be repaired without asking. Nothing was started.',
        fix: 'apply the fixes that it prints; `npx whodunit doctor --fix` applies the safe ones.',
      },
      LAB_NODEJS: { means: 'Node.js is older than 20.', fix: 'install Node 20 or 22.' },
      LAB_BOOTSTRAP: {
        means:
          'The node modules could not be installed. npm is missing, `npm ci` failed, or another lab has been installing them for 10 minutes.',
        fix: 'run the printed line by hand and read what npm says. Most often it cannot reach its registry.',
      },
      LAB_COMMAND_NOT_FOUND: {
        means: 'A program that the lab needs is not on PATH.',
        fix: '`npx whodunit doctor --fix`.',
      },
      LAB_COMMAND: {
        means:
          'A program failed, timed out, was killed, or printed too much. The message has the command, ready to paste, and the end of its output.',
        fix: 'run that command by hand.',
      },
      LAB_OUTPUT: {
        means:
          'Standard output could not be written, most often because a disk is full. A reader that closes the pipe (`| head`) is not an error.',
        fix: 'free some disk space, or send the output elsewhere. What the verb did stays done.',
      },
      LAB_QEMU: {
        means: 'QEMU cannot boot a test guest here, not even without KVM.',
        fix: '`npx whodunit doctor` prints what QEMU said; reinstall QEMU.',
      },
      LAB_LIBVIRT: {
        means:
          'libvirt does not answer, its daemons could not be started, its session socket was not found, or it still has a machine of a world that should be gone.',
        fix: '`npx whodunit doctor --fix`; as a normal user `virsh -c qemu:///session uri`.',
      },
      LAB_PORTS: {
        means:
          'No TCP port is free on 127.0.0.1, or no UDP port for the network between the nodes of a world.',
        fix: '`ss -lntup`.',
      },
      LAB_ACCESS: {
        means:
          'A file or folder may not be read or written. It belongs to somebody else, most often because one command was run as root; or its mode, a file where a folder is needed, or a limit of open files is in the way. The message has the path, its owner, and who you are.',
        fix: 'run the printed line, such as `sudo chown -R "$USER" .lab`.',
      },
      LAB_DISK: {
        means:
          'The disk is full, read-only or failing, and the named file could not be written. Or baking an image would fill the disk; the message has both figures.',
        fix: 'free some disk space (`npx whodunit gc`; `.lab/cache/` is safe to delete while no world is up), or set `WHODUNIT_CACHE`.',
      },
    },
  },
  'The state folder': {
    exit: 'host',
    errors: {
      LAB_BUSY: {
        means:
          'Another lab uses the same state folder, and `--no-wait` was given. The message names its process and start. Without that flag `up`, `down`, `run`, `repro`, `gc`, `bake` and `cache prune` wait, and say for whom; the other verbs need not wait.',
        fix: 'leave out `--no-wait`, or give the second lab its own folder with `WHODUNIT_HOME`.',
      },
      LAB_LOCK: {
        means:
          'The state folder cannot be written, or its file system has no hard links, so that two labs could not be kept apart.',
        fix: 'free some disk, make it writable, or set `WHODUNIT_HOME` to a folder on a Linux file system.',
      },
      LAB_STATE_FOLDER: {
        means:
          'The state folder, the cache, or the claims folder in `/run/lock` is owned by, or writable for, another user. For the state folder it is enough that another user may enter it. It also holds files that are not ours, so its permissions were not changed. Nothing was started.',
        fix: 'run the printed command, or choose a folder of your own: `WHODUNIT_HOME`, `WHODUNIT_CACHE`.',
      },
      LAB_LEASES: {
        means: 'The list of what must be cleaned up could not be written, so nothing was made.',
        fix: 'free some disk, make it writable, or set `WHODUNIT_HOME` to a folder on a Linux file system.',
      },
      LAB_STATE_FILE: {
        means:
          'A file in the state folder or in a saved run is not what this version writes: it is cut short, edited, too large, from another version, not a regular file, or a link that leads elsewhere. It was not read.',
        fix: 'move the named file or folder away and run the command again.',
      },
      LAB_NOT_OURS: {
        means:
          'Cleanup found something that it may not own (outside of our folder, or with something mounted in it), and left it.',
        fix: 'look at it, and remove it by hand if nobody needs it.',
      },
    },
  },
  Components: {
    exit: 'host',
    errors: {
      LAB_COMPONENT_UNAVAILABLE: {
        means:
          "No source has that version; the message says why, source by source. It names a Go module that does not resolve, with its version: not every patch release is a module that Go's checksum database knows.",
        fix: 'check the version and the network.',
      },
      LAB_COMPONENT_CHECKSUM: {
        means:
          "The digest of a download is not the one that its project publishes, or not the locked one ([where programs come from](supply.md)), or Go's checksum database refuses it. It was not used, and no other source was tried.",
        fix: 'find out whether something on the way changes files, or the project changed a release. Do not turn the check off. To accept the new digest, remove its entry from the named lock.',
      },
      LAB_COMPONENT_UNLOCKED: {
        means:
          'With `--locked`, only programs pinned in `components.lock.yaml` are used, and some are not. All of them are named, and nothing was built.',
        fix: 'run `npx whodunit lock` with the same words, on a host that reaches the projects, and commit the file.',
      },
      LAB_REMOTE_CACHE: {
        means:
          'The remote cache (`WHODUNIT_REMOTE_CACHE`) does not answer, refuses, or broke off. Only `cache push` and `cache pull` end with this error; every other command says so in one line and makes what is missing.',
        fix: 'check the address and the network; `docker login <host>` writes the credentials. What was moved already is not moved again.',
      },
      LAB_REMOTE_DAMAGED: {
        means:
          'What the remote cache sent is not what its digest names, or is another entry than was asked for. It was not used.',
        fix: 'remove the named entry from the registry, then run `npx whodunit cache push` on a host that has it.',
      },
      LAB_COMPONENT_ARCHIVE: {
        means: 'The archive lacks programs that `components.yaml` names.',
        fix: 'list the archive with `tar -tf`, and correct `members`.',
      },
      LAB_COMPONENT_BUILD: {
        means:
          'A program could not be built, or the OpenAPI definitions that older Kubernetes releases are compiled with were not generated. The errors of the compiler are printed; the log has the rest.',
        fix: 'read the named log. The usual causes are a full disk, too little memory and a broken network. A release whose code does not compile needs another Go (`go`) or a generated file (`openapi`) in `components.yaml`.',
      },
      LAB_HOST_PACKAGES: {
        means:
          'A component with parts in C (an exact runc) needs a compiler and libraries that this host does not have. They are installed automatically for root, and where sudo asks for no password.',
        fix: 'run the printed line, then try again. No other component needs them.',
      },
      LAB_GO_MISSING: {
        means: 'Go was not found: not on PATH, and not where Debian or its own installer puts it.',
        fix: '`npx whodunit doctor --fix`.',
      },
      LAB_TERRAFORM_MISSING: {
        means: 'Neither Terraform nor OpenTofu is on PATH, and the built one is not there either.',
        fix: 'install Terraform 1.5 or newer, or OpenTofu.',
      },
      LAB_PROVIDER_MISSING: {
        means: 'The Terraform provider for libvirt was neither fetched nor built.',
        fix: 'correct `components.yaml`, or delete `.lab/cache/providers/`; it is rebuilt.',
      },
    },
  },
  'The image': {
    exit: 'host',
    errors: {
      LAB_IMAGE_INPUT: {
        means:
          'Something that goes into the image does not fit: no component provides a program, nobody builds an image that kubeadm wants, or etcd is of another minor release than kubeadm expects.',
        fix: 'correct the versions in `components.yaml`. If a root file system is damaged, delete the named file.',
      },
      LAB_IMAGE_PRELOAD: {
        means: 'containerd did not keep an image that was loaded into its store while baking.',
        fix: 'run `npx whodunit bake` again. If that does not help, [report it](../SUPPORT.md#report-a-bug) with the message.',
      },
    },
  },
  'Worlds and nodes': {
    exit: 'host',
    errors: {
      LAB_PROBE_TIMEOUT: {
        means:
          'The lab waited for a condition that did not become true in time, or became impossible. The message has the condition, the time, and what was last seen.',
        fix: 'read the named log (`.lab/worlds/<variant>/`), or run `npx whodunit up --keep` and look inside with `npx whodunit shell`.',
      },
      LAB_SSH_HOST_KEY: {
        means:
          'Something else answers on the SSH port of our node: a forgotten machine, or a program that took the port.',
        fix: '`npx whodunit gc`, then `npx whodunit up`.',
      },
      LAB_SSH_LOST: {
        means:
          'The connection to a node broke while a command ran: the guest crashed, or the host ran out of memory and killed it.',
        fix: 'read `.lab/worlds/<variant>/node-1.console.log` and `dmesg` of the host, then `npx whodunit up`.',
      },
      LAB_SSH_LISTEN: {
        means: 'The lab cannot listen on a port of the loopback of a node: something there already does.',
        fix: 'use another port for what the scenario starts on the node.',
      },
      LAB_REGISTRY: {
        means: 'The registry of a cell did not start, ended too early, or refused an image.',
        fix: 'read what it said last, look at free disk space and memory of the host, and run the cell again.',
      },
      LAB_SNAPSHOT: {
        means:
          'QEMU did not load the snapshot of a node. Or another world was to be derived from a saved one, and somebody removed or started its machines. A world that cannot be derived is built from its image.',
        fix: '`npx whodunit down`, then `npx whodunit up` rebuilds the world.',
      },
      LAB_UNHEALTHY: {
        means:
          "A restored world is not pristine: a part of the control plane had to restart, a certificate is outside its window, or the clock of a node could not be set. The lab restored it again in new processes, then rebuilt it (the run's events say so), and neither helped.",
        fix: 'look at the load and the clock of the host; `npx whodunit down`, then `npx whodunit up`.',
      },
      LAB_MEMORY: {
        means:
          'A world does not fit into the memory that is free now, not even with every idle world parked.',
        fix: 'end other programs, or choose a variant with fewer nodes.',
      },
      LAB_START_FAILURE: {
        means:
          '`startFailures` in `matrix.yaml` declares that the variant cannot start pods, and it could not. The message shows the line that containerd logged. `run` reports its cells as skipped, with that line.',
        fix: 'read the named source, or choose another variant.',
      },
      LAB_STARTED_ANYWAY: {
        means:
          '`startFailures` in `matrix.yaml` declares that the variant cannot start pods, but pods start: the declaration is wrong.',
        fix: 'correct the declaration; until then its cells are inconclusive.',
      },
      LAB_ORACLE: {
        means:
          'A world is not what its variant declares: a version, cgroup driver, kubelet setting or the cgroup of a process differs. Every difference is named, with what was declared and what was found. Nothing was run in it.',
        fix: 'run `npx whodunit up <variant> --keep` and look inside with `npx whodunit shell`. If a Debian suite has moved on, correct its line under `suites` in `matrix.yaml`.',
      },
      LAB_KUBECONFIG: {
        means: 'The kubeconfig of a world names no cluster.',
        fix: '`npx whodunit down`, then `npx whodunit up`.',
      },
      LAB_API: {
        means:
          'The Kubernetes API of a world did not answer: its node hangs, or the host is too busy to emulate it. The cell has no verdict; the next cell gets a restored world. Or the API of `autopsy --kubeconfig` did not answer, or refused.',
        fix: 'run only this cell again. If it happens again, read `node-1.console.log` of the world.',
      },
      LAB_KUBERNETES_EXEC: {
        means:
          "The API or the kubelet refused a scenario's stimulus of kind `exec`, or its process printed nothing for 90 seconds. The process has to print something when it starts.",
        fix: 'read `npx whodunit logs kubelet`, and try the command with `npx whodunit kubectl exec`.',
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
          'Ctrl-C or SIGTERM (exit 130). The lab undoes what it started before it ends, but not after a second Ctrl-C. A verb that holds nothing of the host prints no error: the signal ends it at once, and a shell says 130, or 143 of SIGTERM.',
        fix: 'after a second Ctrl-C: `npx whodunit gc`.',
      },
    },
  },
} as const satisfies Readonly<Record<string, ErrorGroup>>;
