package main

import (
	"reflect"
	"testing"
)

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
