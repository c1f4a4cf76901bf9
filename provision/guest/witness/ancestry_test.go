package main

import (
	"fmt"
	"os"
	"reflect"
	"testing"
)

// gone is more than any kernel gives to a process (PID_MAX_LIMIT of include/linux/threads.h).
const gone = 1 << 22

func forkOf(parent, child int) traceLine {
	return traceLine{detail: fmt.Sprintf("comm=x pid=%d child_comm=x child_pid=%d", parent, child)}
}

func placeBy(a ancestry, pid int) string {
	_, line := a.lookUp(pid)
	return line[len(line)-1].cgroup
}

// A helper that is gone was in the cgroup of whoever forked it.
func TestLookUpTakesTheCgroupOfTheNearestAncestor(t *testing.T) {
	a := newAncestry(hierarchy{version: "v2"})
	self := os.Getpid()
	a.places[gone+1] = "/of-its-own"
	a.forked(forkOf(gone+1, gone))
	if got := placeBy(a, gone); got != "/of-its-own" {
		t.Fatalf("of a child of what is gone: %q", got)
	}
	a.forked(forkOf(self, gone))
	if got, want := placeBy(a, gone), a.hierarchy.cgroupOfLiving(self); got != want {
		t.Fatalf("of a child of ours: %q, want %q", got, want)
	}
}

// systemd runs in /init.scope and moves what it starts. A service that kills and ends at once was never there.
func TestLookUpDoesNotTakeAServiceForSystemd(t *testing.T) {
	a := newAncestry(hierarchy{version: "v2"})
	a.places[systemd] = "/init.scope"
	a.forked(forkOf(systemd, gone))
	if got := placeBy(a, gone); got != "" {
		t.Fatalf("of a service that nobody has read: %q", got)
	}
	a.places[gone] = "/system.slice/reaper.service"
	if got := placeBy(a, gone); got != "/system.slice/reaper.service" {
		t.Fatalf("of a service that was read before it ended: %q", got)
	}
	a.forked(forkOf(gone, gone+1))
	if got := placeBy(a, gone+1); got != "/system.slice/reaper.service" {
		t.Fatalf("of a helper of that service: %q", got)
	}
	a.forked(forkOf(systemd, gone))
	if got := placeBy(a, gone); got != "" {
		t.Fatalf("of another process with that pid: %q", got)
	}
}

// A shim forks runc on one of its threads; runc is gone when it is looked up, the shim lives.
func TestAboveFollowsForksToTheProcessOfTheThread(t *testing.T) {
	const shim, thread, runc = 790, 795, 1200
	a := newAncestry(hierarchy{})
	a.parents[runc] = thread
	living := map[int]process{
		shim:   {pid: shim, tgid: shim, ppid: 1},
		thread: {pid: thread, tgid: shim, ppid: 1},
		1:      {pid: 1, tgid: 1},
	}
	read := func(pid int) (process, bool) {
		found, alive := living[pid]
		return found, alive
	}
	if got := a.above(runc, read); !reflect.DeepEqual(got, []int{shim, 1}) {
		t.Fatalf("above = %v", got)
	}
	if got := a.above(4242, read); got != nil {
		t.Fatalf("above an unknown process = %v", got)
	}
}
