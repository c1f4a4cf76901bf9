// burn-cpu wants one CPU all the time, and does nothing with it.
//
//	burn-cpu NAME [CPU]    NAME tells it from others in a list of processes; with CPU it stays on that one, from 0 on
//
// Exit status: 1 when there is no such CPU, 2 for wrong arguments.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fail(2, fmt.Errorf("usage: burn-cpu NAME [CPU]"))
	}
	// The thread that burns is the one that is bound.
	runtime.LockOSThread()
	if len(os.Args) == 3 {
		cpu, err := strconv.ParseUint(os.Args[2], 10, 6)
		if err != nil {
			fail(2, err)
		}
		mask := uint64(1) << cpu
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask))); errno != 0 {
			fail(1, errno)
		}
	}
	fmt.Printf("burn-cpu: %s burns\n", os.Args[1])
	for {
	}
}

func fail(status int, err error) {
	fmt.Fprintln(os.Stderr, "burn-cpu:", err)
	os.Exit(status)
}
