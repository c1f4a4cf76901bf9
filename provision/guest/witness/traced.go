package main

import (
	"path/filepath"
	"strings"
)

// traced turns one event of the trace into records, and reads the counters of the cgroup it concerns at once: the
// runtime removes the cgroup of a dead container within milliseconds.
func (w *watcher) traced(line traceLine) {
	switch line.event {
	case "signal_generate":
		w.signalled(line)
	case "sched_process_fork":
		// The pid is in use again, by somebody else.
		if parent, child, _, ok := parseFork(line.detail); ok {
			delete(w.ended, child)
			w.started(parent, child)
			w.inherits(parent, child)
		}
		w.forked(line)
	case "sched_process_exec":
		pid := parseExec(line.detail)
		w.executed(pid)
		if path, known := w.processes[pid]; known {
			w.announce(pid, path)
		} else if pid >= 0 {
			w.named(pid, commOfExec(line.detail))
		}
	case "sched_process_exit":
		w.exited(line)
	case "mark_victim":
		w.marked(line)
	case "lost":
		w.out.emit("lost", map[string]any{"source": "trace", "why": line.raw})
	}
}

func (w *watcher) signalled(line traceLine) {
	signal, ok := parseSignal(line.detail)
	if !ok {
		w.out.emit("lost", map[string]any{"source": "trace", "why": "unreadable: " + line.raw})
		return
	}
	// abort() and the like are sent to a thread; the process is what everybody else talks about.
	target, _ := w.meet(signal.pid)
	senderPid := line.pid
	if line.sender.tgid != 0 {
		senderPid = line.sender.tgid
	}
	w.out.emitAt("signal", line.mono, map[string]any{
		"sig": signal.signal, "code": signal.code, "pid": target, "tid": signal.pid, "comm": signal.comm,
		"grp": signal.group, "res": signal.result,
		"senderPid": senderPid, "senderTid": line.pid, "senderComm": line.comm, "senderCgroup": w.cgroupOfFirst(line.line),
		"senderParents": line.parents,
		"targetCgroup":  w.processes[target], "raw": line.raw,
	})
	w.refreshUp(w.processes[target])
}

// marked writes down whom the OOM killer chose. The kernel log says so too, by another way: a ring that may wrap, and
// lines that anybody may print.
func (w *watcher) marked(line traceLine) {
	pid, ok := parseVictim(line.detail)
	if !ok {
		w.out.emit("lost", map[string]any{"source": "trace", "why": "unreadable: " + line.raw})
		return
	}
	// The kernel marks a thread; the process is what everybody else talks about.
	target, comm := w.meet(pid)
	path := w.processes[target]
	w.out.emitAt("oom-victim", line.mono, map[string]any{
		"pid": target, "tid": pid, "comm": comm, "cgroup": path, "raw": line.raw,
	})
	w.refreshUp(path)
}

// cgroupOfFirst names the cgroup of a sender. What the watcher knows comes first: it is in the order of the trace,
// while /proc was read a little later. The last thread of a process outlives its first one, which is gone by then.
func (w *watcher) cgroupOfFirst(line []relative) string {
	for _, each := range line {
		if path, known := w.processes[each.pid]; known {
			return path
		}
		if path, known := w.ended[each.pid]; known {
			return path
		}
		if each.cgroup != "" {
			return each.cgroup
		}
	}
	return ""
}

// forked announces children of known processes before they can vanish.
func (w *watcher) forked(line traceLine) {
	parent, child, comm, ok := parseFork(line.detail)
	if !ok {
		return
	}
	path, known := w.processes[parent]
	if !known {
		return
	}
	if found, alive := readProcess(child); !alive {
		w.emitProcess(process{pid: child, ppid: parent, comm: comm}, path, true)
	} else if found.tgid == child {
		w.processes[child] = path
		w.emitProcess(found, path, false)
	}
}

// meet returns the process of a thread, and its name while it lives; a process that no scan has met yet is announced.
func (w *watcher) meet(tid int) (pid int, comm string) {
	pid = tid
	found, _ := readProcess(tid)
	if found.tgid != 0 {
		pid = found.tgid
	}
	if _, known := w.processes[pid]; !known {
		w.find(pid)
	}
	return pid, found.comm
}

// find announces a process that no scan has met yet, if it lives in a watched cgroup.
func (w *watcher) find(pid int) {
	path := w.hierarchy.cgroupOf(pid)
	if _, watched := w.groups[path]; watched {
		w.announce(pid, path)
	}
}

// refreshUp reads a cgroup and its ancestors again.
func (w *watcher) refreshUp(path string) {
	for strings.Contains(path, "kubepods") {
		w.refresh(path, false)
		path = filepath.Dir(path)
	}
}
