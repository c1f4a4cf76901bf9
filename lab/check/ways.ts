/**
 * What docs/verdicts.md says of each way to the end, one row for each of its killers: whose last act it may be; sources of
 * which each would have its trace; that trace, in a raw line that names the victim; what its chain has, in lines of `step
 * kind fields`; whether another way that explains the same records excludes it. It is not the judge's table.
 */
const TABLE = String.raw`
an OOM kill of the runtime's own first process ; container-init-oom ; never-ran ; kmsg ; Killed process ; OOM-killed|runc:\[
an OOM kill of its first process ; memcg-oom ; oom kernel itself lives ; kmsg ; Killed process|^\d.*task_memcg ; ^(?:cause|signal) .*"(?:scope":"memcg|oom_kill)
an OOM kill of its first process ; global-oom ; oom kernel itself lives ; kmsg ; Killed process|^\d.*task_memcg ; ^(?:cause|signal) kernel-.*"scope":"global
the end of its node ; node-reboot ; node-gone systemd runtime ; trace nodes ; - ; ^end (?:boot-ended|node-seen|kube-event .*Rebooted)
the end of its node ; node-shutdown ; node-gone systemd runtime ; trace nodes ; - ; shut ?down|will reboot|Terminat|boot-ended
an answer to an earlier signal ; - ; runtime outside systemd systemd-oomd earlyoom container ; trace ; - ; -
a signal from outside ; external-signal ; outside systemd itself ; trace ; - ; ^signal signal-sent
a kill by systemd-oomd ; systemd-oomd ; systemd-oomd itself ; trace system ; "systemd-oomd" ; ^(?:cause|signal) .*"actor":"systemd-oomd"
a kill by earlyoom ; earlyoom ; earlyoom itself ; trace system ; "earlyoom" ; ^(?:cause|signal) .*"actor":"earlyoom"
a forbidden system call ; seccomp ; container itself ; kmsg trace ; type=1326|"sig":31, ; ^cause .*type=1326|^signal .*"signal":31
a refused fork ; pids-limit ; itself container ; kmsg cgroup ; fork rejected ; ^cause .*(?:fork rejected|pids\.)
a signal of its own ; self-signal ; container kernel itself ; trace ; - ; ^signal signal-sent |^end .*"exitCode" ; residual
the end of its pod's sandbox ; sandbox-died ; runtime kernel ; trace containerd ; - ; ^cause (?:process-exited .*"pause|runtime-exit)
a runtime that lost it ; runtime-lost ; runtime itself ; trace containerd ; - ; ^cause (?:signal-sent|runtime-|kube-event .*andbox|kubelet-said)
a cgroup of the pod that lacked a controller ; kubelet-cgroup-missing ; runtime itself ; cgroup kubelet events ; - ; ^cause .*"cgroup\.controllers" && ^request .*Killing && ^consequence .*sandbox
an eviction by the kubelet ; kubelet-eviction ; runtime itself ; pods ; "reason":"Evicted" ; ^request .*(?:Evicted|evicted)
a failed probe ; liveness-probe ; runtime itself ; kubelet events ; Killing.*failed (?:liveness|startup) probe ; ^request .*(?:liveness|startup) probe
a deletion of the pod ; api-deletion ; runtime itself ; pods ; "deletionTimestamp":" ; ^request pod-seen .*"(?:deletionAt|disruption)"
a preemption ; preemption ; runtime itself ; pods ; "reason":"Preempt ; ^request .*Preempt
its deadline ; deadline ; runtime itself ; pods ; "reason":"DeadlineExceeded" ; ^request .*DeadlineExceeded
a shutdown of its node ; node-shutdown ; runtime itself ; pods ; "reason":"NodeShutdown" ; shut ?down|will reboot|Terminat|boot-ended
a change of its definition ; spec-change ; runtime itself ; kubelet events ; definition changed|resize requires restart ; ^request .*(?:definition changed|resize requires restart|SyncLoop REMOVE|static)
a rule of the pod itself ; pod-lifecycle ; runtime ; kubelet events ; - ; ^cause (?:kube-event|kubelet-said|pod-seen)
the kubelet, for another reason ; - ; runtime itself ; kubelet events ; - ; - ; residual
a request at the runtime ; runtime-stop ; runtime ; containerd ; - ; ^signal signal-sent|^request runtime-stop ; residual
an end of its own ; self-exit ; itself ; trace ; - ; ^end .*"(?:exitCode|process)" ; residual
that it lives ; none ; lives ; - ; - ; ^end pod-seen .*"state":"running"
`;

/** A cell of the table that says nothing fits nothing. */
const patternOf = (cell = '-'): RegExp => new RegExp(cell === '-' ? '(?!)' : cell, 'im');
const readRow = (row: string) => {
  const [what = '', killer = '', acts = '', sources = '', trace, chain = '', residual] = row.split(' ; ');
  const needs = chain.split(' && ').map(patternOf);
  return {
    what,
    killer,
    acts: acts.split(' '),
    sources: sources.split(' '),
    trace: patternOf(trace),
    needs,
    residual,
  };
};

export const WAYS = TABLE.trim().split('\n').map(readRow);
export type Way = (typeof WAYS)[number];
