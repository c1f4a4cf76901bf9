import type { KillerRow } from './killer-row.ts';
import { KUBELET_ROWS } from './kubelet-rows.ts';

/** The one table of killers. Order: that of docs, schemas and the confusion matrix. */
export const KILLER_TABLE = {
  'memcg-oom': {
    family: 'kernel',
    hows: {
      'group-kill': { says: 'the whole container, `memory.oom.group`' },
      'single-process': {},
    },
    proof:
      "the kernel's line names the first process of the container, or all of its processes die (`memory.oom.group`), **and** a second record agrees: `oom_kill` of its cgroup (or of the pod's) rose, or the trace shows the kernel's mark or its own SIGKILL, or [the kernel's count of kills](#the-kernels-count-of-kills) equals its log. A child that was killed right before the container ended by itself is `likely`",
    advice: 'raise limits.memory, or make the program use less',
    oom: true,
    verb: 'killed',
  },
  'global-oom': {
    family: 'kernel',
    hows: {
      'group-kill': { says: 'the whole container, `memory.oom.group`' },
      'single-process': {},
      sysrq: {
        says: 'SysRq f: a person or a program asked; the node may have had memory left',
        advice:
          'a person, or a program such as earlyoom, asked the kernel to kill (SysRq f): find out who; the node may have had memory left',
      },
    },
    proof:
      "the same, and the kernel's killer for the whole node did it: no memory was left, or somebody asked for it by hand (the kernel's report then says `order=-1`)",
    advice:
      'give every pod a memory limit, and the node reserves (systemReserved, evictionHard); pods that request too little memory die first',
    oom: true,
    verb: 'killed',
  },
  ...KUBELET_ROWS,
  'node-reboot': {
    family: 'node',
    hows: {
      boot: {},
      'panic-on-oom': { advice: 'the node restarts when it is out of memory: set vm.panic_on_oom=0' },
    },
    proof:
      'the boot id changed while the container lived, for the witness and for the API; nobody had ended it before but systemd, going down, and it did not run again in the old boot. It is `likely` when only one of the two saw the new boot, or when it had been asked to stop 2 s or more before and was never seen to end',
    advice: 'find out why the node restarted: its console and the last lines of its kernel log',
    verb: 'killed',
  },
  'runtime-stop': {
    family: 'outsider',
    hows: {},
    proof:
      "the runtime stopped it and logged the request; nothing says why, although the kubelet's log, its events, the versions of the pod and the trace are all whole",
    advice:
      'somebody stopped the container behind the back of Kubernetes (crictl, ctr); find out who was on the node',
    verb: 'killed',
  },
  'runtime-lost': {
    family: 'runtime',
    hows: { 'shim-killed': {}, 'runtime-restarted': {} },
    proof:
      "the trace shows SIGKILL to the shim, the parent of the container's first process, before anybody had asked for an end; or containerd restarted and reports exit 255, `Unknown`, or told the kubelet that a sandbox died that lived on. It is `likely` when the shim had a fault of its own, containerd lost it first and nobody saw why, or no signal ended it while the runtime was away",
    advice: 'find out who killed the shim or restarted containerd; its unit needs KillMode=process',
    verb: 'killed',
  },
  'container-init-oom': {
    family: 'kernel',
    hows: {},
    proof:
      'the runtime says that its own first process was OOM-killed, and the kernel names that process (`runc:[2:INIT]`): the container never ran. With only one of the two it is `likely`, and so it is when the kernel took the sandbox (pause) while the runtime prepared the container',
    advice: 'limits.memory is too low to start a container at all: give it at least 16Mi',
    oom: true,
    verb: 'killed',
  },
  'sandbox-died': {
    family: 'runtime',
    hows: { 'sandbox-killed': {} },
    proof:
      "the pod's pause ended first, by a signal that was not the runtime's, and before anybody had asked for an end; then the kubelet found the sandbox changed",
    advice: "find out who killed the pod's sandbox (pause); all its containers die with it",
    verb: 'killed',
  },
  'systemd-oomd': {
    family: 'node',
    hows: {},
    proof:
      "the trace shows the signal; its sender has that name and lives in the cgroup of that service, or the service's own log names the cgroup. With only the log, and exit code 137 or 143, it is `likely`",
    advice: 'set ManagedOOMMemoryPressure=auto for kubepods.slice, or take load off the node',
    verb: 'killed',
  },
  earlyoom: {
    family: 'node',
    hows: {},
    proof: 'as above; its log names the pid',
    advice: 'let earlyoom avoid pods (--avoid), or leave low memory to the kubelet',
    verb: 'killed',
  },
  'pids-limit': {
    family: 'kernel',
    hows: {},
    proof:
      "the pids controller refused a fork (its counter, or the kernel's line) 10 s or less before the container ended by itself, with another code than 0; a signal of another process is the decision of that one. It is never more than `likely`: that the end follows from the refusal is inferred from time",
    advice: 'raise podPidsLimit, or find the processes that are not reaped (zombies count too)',
    verb: 'killed',
  },
  seccomp: {
    family: 'kernel',
    hows: {},
    proof:
      'the trace shows SIGSYS, raised by the kernel for the process itself; before Linux 5.16 there is no signal: the audit record and exit code 159',
    advice: 'allow the system call in the seccomp profile; its number is in the audit record',
    verb: 'killed',
  },
  'external-signal': {
    family: 'outsider',
    hows: {
      'from-node': {},
      'from-another-pod': {
        says: 'hostPID',
        advice: 'a container with hostPID sent the signal; its id is in the cgroup of the sender',
      },
      'from-same-pod': {},
    },
    proof:
      'the trace shows the signal; its sender lives outside of the container and acts for nobody else: it is not the runtime, not the kubelet and not the kernel. When the lab sent it, `cell.json` says so. It is `likely` when it hit another process than the first, right before the end, when the exit code does not fit, and when the cgroup of the sender is not known',
    advice: 'the cgroup of the sender says who it was; find out what runs there',
    verb: 'ended',
  },
  'self-exit': {
    family: 'program',
    hows: {},
    proof:
      'the trace is whole and shows the end of the first process without a signal that fits; the kubelet had not meant to stop it (a preStop hook may end a program), and nothing from outside came before that it may have followed: else it is `unknown`. A code from 128 on is `likely`',
    advice: "read the program's own log: nobody killed it",
    verb: 'ended',
  },
  'self-signal': {
    family: 'program',
    hows: {},
    proof:
      'the trace shows a fault (SIGSEGV, SIGBUS, …), a signal whose sender lives in the container, or one that the kernel sends for its own alarm(2) (SIGALRM). One for its limit of CPU time or file size (SIGXCPU, SIGXFSZ, or SIGKILL of the kernel while it ran) is `likely`: nobody saw who had set the limit. Without a trace the exit code of a fault is `likely`, when kernel log, API, runtime and kubelet were heard and tell of nothing else',
    advice: "read the program's own log or core dump: it crashed or aborted",
    verb: 'ended',
  },
  none: {
    family: 'nobody',
    hows: {},
    proof:
      'still running, never restarted, no word of its end in trace, runtime and kubelet, a sign of life after the last thing that may have ended it, and its OOM counter, read after the promised time, did not rise',
    advice: 'nothing: it is alive',
    verb: 'ended',
  },
  unknown: {
    family: 'nobody',
    hows: {},
    proof:
      'none of the above can be named; `whodunit why` says what is excluded, what is not, and what would decide it',
    advice: 'see what the note says is missing, and run the cell again',
    verb: 'ended',
  },
} as const satisfies Readonly<Record<string, KillerRow>>;
