package main

import (
	"regexp"
	"strconv"
)

// ancestry remembers who forked whom. A process such as `kill` is often gone before we can look at it; a child
// starts in the cgroup of its parent, so the nearest ancestor that we know tells where it was. What systemd starts is moved
// to the cgroup of its unit before its program runs.
type ancestry struct {
	hierarchy hierarchy
	parents   map[int]int
	// places are the cgroups of processes when they were last read.
	places map[int]string
	order  []int
}

// systemd is the first process of the node.
const systemd = 1

// maxAncestors bounds the memory; forks older than this many are forgotten.
const maxAncestors = 8192

func newAncestry(hierarchy hierarchy) ancestry {
	return ancestry{hierarchy: hierarchy, parents: map[int]int{}, places: map[int]string{}}
}

func (a *ancestry) forked(line traceLine) {
	parent, child, _, ok := parseFork(line.detail)
	if !ok {
		return
	}
	if _, known := a.parents[child]; !known {
		a.order = append(a.order, child)
	}
	a.parents[child] = parent
	delete(a.places, child) // the pid is in use again
	if len(a.order) > maxAncestors {
		delete(a.parents, a.order[0])
		delete(a.places, a.order[0])
		a.order = a.order[1:]
	}
}

// ran notes where a program of systemd runs: it is often gone when it sends its last signal.
func (a *ancestry) ran(pid int) {
	if a.parents[pid] == systemd {
		a.place(pid)
	}
}

// place returns the cgroup of a process, or where it was last seen; empty when nobody has seen it.
func (a *ancestry) place(pid int) string {
	if path := a.hierarchy.cgroupOfLiving(pid); path != "" {
		a.places[pid] = path
	}
	return a.places[pid]
}

// relative is a process or one of its ancestors; cgroup is empty when nobody has read it.
type relative struct {
	pid    int
	cgroup string
}

// lookUp returns what is known of a sender: itself when alive, and the line of its ancestors up to the first one
// whose cgroup is known. systemd is not asked for its children.
func (a *ancestry) lookUp(pid int) (process, []relative) {
	found, _ := readProcess(pid)
	var line []relative
	for depth := 0; depth < 16 && pid > 0; depth++ {
		path := a.place(pid)
		line = append(line, relative{pid: pid, cgroup: path})
		parent, known := a.parents[pid]
		if path != "" || !known || parent == systemd {
			break
		}
		pid = parent
	}
	return found, line
}

var forkPattern = regexp.MustCompile(`^comm=.* pid=(\d+) child_comm=(.*) child_pid=(\d+)$`)

func parseFork(detail string) (parent, child int, comm string, ok bool) {
	found := forkPattern.FindStringSubmatch(detail)
	if found == nil {
		return 0, 0, "", false
	}
	parent, _ = strconv.Atoi(found[1])
	child, _ = strconv.Atoi(found[3])
	return parent, child, found[2], true
}

// signalEvent is the detail of signal:signal_generate. result: 0 delivered, 1 ignored, 2 already pending.
type signalEvent struct {
	signal, code, pid, group, result int
	comm                             string
}

var signalPattern = regexp.MustCompile(`^sig=(\d+) errno=-?\d+ code=(-?\d+) comm=(.*) pid=(\d+) grp=(\d+) res=(\d+)$`)

func parseSignal(detail string) (signalEvent, bool) {
	found := signalPattern.FindStringSubmatch(detail)
	if found == nil {
		return signalEvent{}, false
	}
	number := func(index int) int {
		value, _ := strconv.Atoi(found[index])
		return value
	}
	return signalEvent{
		signal: number(1), code: number(2), comm: found[3], pid: number(4), group: number(5), result: number(6),
	}, true
}

// victimPattern: the kernel says the pid alone before 6.9, and the name, sizes and the like behind it since.
// Source: include/trace/events/oom.h.
var victimPattern = regexp.MustCompile(`^pid=(\d+)(?: |$)`)

func parseVictim(detail string) (int, bool) {
	found := victimPattern.FindStringSubmatch(detail)
	if found == nil {
		return 0, false
	}
	pid, err := strconv.Atoi(found[1])
	return pid, err == nil
}

// exitEvent is the detail of sched:sched_process_exit, which each thread has. Only kernels since 6.17 say whether it was the
// last one of its process; it is false where they do not.
type exitEvent struct {
	pid       int
	groupDead bool
}

var exitPattern = regexp.MustCompile(`^comm=.* pid=(\d+) prio=-?\d+(?: group_dead=(true|false))?$`)

func parseExit(detail string) (exitEvent, bool) {
	found := exitPattern.FindStringSubmatch(detail)
	if found == nil {
		return exitEvent{}, false
	}
	pid, err := strconv.Atoi(found[1])
	return exitEvent{pid: pid, groupDead: found[2] == "true"}, err == nil
}

var execPattern = regexp.MustCompile(`^filename=(.*) pid=(\d+) old_pid=\d+$`)

// parseExec returns the pid of an exec event, -1 when the text is none.
func parseExec(detail string) int {
	found := execPattern.FindStringSubmatch(detail)
	if found == nil {
		return -1
	}
	pid, err := strconv.Atoi(found[2])
	if err != nil {
		return -1
	}
	return pid
}

// maxAbove bounds how far up a sender's parents are followed: from a runtime's helper to its shim it is two or three.
const maxAbove = 8

// above returns the processes above a sender, its parent first. A fork is traced with the thread that forked; a process
// that is gone has its fork alone to tell, and one from before the trace what /proc says.
func (a *ancestry) above(pid int, read func(pid int) (process, bool)) []int {
	var found []int
	for len(found) < maxAbove {
		parent, known := a.parents[pid]
		if living, alive := read(pid); !known && alive {
			parent, known = living.ppid, true
		}
		if !known || parent <= 0 {
			break
		}
		if living, alive := read(parent); alive && living.tgid > 0 {
			parent = living.tgid
		}
		found = append(found, parent)
		pid = parent
	}
	return found
}
