// misbehave does one thing for which a process dies, or for which somebody ends it.
//
//	misbehave segv                    writes to memory that it may not write: SIGSEGV
//	misbehave abort                   sends itself SIGABRT, as abort(3) does (not as PID 1: the kernel drops it)
//	misbehave bus DIRECTORY SIZE      writes to a mapped file of that size: SIGBUS when the file system is full
//	misbehave seccomp                 makes a system call that its own filter kills for: SIGSYS
//	misbehave fork COUNT              starts that many children that sleep; exit 11 (EAGAIN) when the kernel refuses one
//	misbehave fill FILE SIZE STEP     writes a file step by step, five steps a second, then sleeps; exit 28 (ENOSPC)
//	misbehave kill COMM SIGNAL        sends a signal to every process of that name that it can see, then sleeps
//	misbehave exit STATUS             ends with that status
//
// Exit status: 2 for wrong arguments; otherwise as above.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"whodunit/workloads/internal/size"
)

// commands by name, with the number of arguments that each takes.
var commands = map[string]struct {
	arguments int
	run       func(arguments []string)
}{
	"segv":    {0, func([]string) { writeProtected() }},
	"abort":   {0, func([]string) { abort() }},
	"bus":     {2, func(a []string) { writeMapped(a[0], amount(a[1])) }},
	"seccomp": {0, func([]string) { callForbidden() }},
	"fork":    {1, func(a []string) { startChildren(number(a[0])) }},
	"fill":    {3, func(a []string) { fill(a[0], amount(a[1]), amount(a[2])) }},
	"kill":    {2, func(a []string) { killAll(a[0], a[1]) }},
	"exit":    {1, func(a []string) { os.Exit(number(a[0])) }},
	"sleep":   {0, func([]string) { sleep() }},
}

func main() {
	if len(os.Args) < 2 {
		fail(2, "which misbehaviour? one of segv, abort, bus, seccomp, fork, fill, kill, exit")
	}
	command, known := commands[os.Args[1]]
	if !known || len(os.Args)-2 != command.arguments {
		fail(2, "cannot do %q", os.Args[1:])
	}
	command.run(os.Args[2:])
}

// resetToDefault takes the handler of Go's runtime away, so that the kernel acts as for any program.
func resetToDefault(signal syscall.Signal) {
	var action [4]uint64 // struct sigaction: handler SIG_DFL, no flags, no restorer, empty mask
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(signal),
		uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	if errno != 0 {
		fail(1, "rt_sigaction: %v", errno)
	}
}

func writeProtected() {
	resetToDefault(syscall.SIGSEGV)
	memory, err := syscall.Mmap(-1, 0, os.Getpagesize(), syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		fail(1, "mmap: %v", err)
	}
	memory[0] = 1
}

func abort() {
	resetToDefault(syscall.SIGABRT)
	if err := syscall.Kill(os.Getpid(), syscall.SIGABRT); err != nil {
		fail(1, "kill: %v", err)
	}
	time.Sleep(time.Second)
	fail(1, "SIGABRT was dropped; am I PID 1?")
}

func writeMapped(directory string, bytes size.Bytes) {
	resetToDefault(syscall.SIGBUS)
	file, err := os.CreateTemp(directory, "mapped")
	if err != nil {
		fail(1, "%v", err)
	}
	if err := file.Truncate(int64(bytes)); err != nil {
		fail(1, "%v", err)
	}
	memory, err := syscall.Mmap(int(file.Fd()), 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		fail(1, "mmap: %v", err)
	}
	for at := 0; at < len(memory); at += os.Getpagesize() {
		memory[at] = 1
	}
	fail(1, "wrote %s and the file system is not full", bytes)
}

// From <linux/seccomp.h>, <linux/filter.h>, <linux/prctl.h>.
const (
	prSetNoNewPrivs      = 38
	sysSeccomp           = 317
	seccompSetModeFilter = 1
	seccompKillProcess   = 0x80000000
	seccompAllow         = 0x7fff0000
	loadWord             = 0x20 // BPF_LD|BPF_W|BPF_ABS, offset 0 = seccomp_data.nr
	jumpIfEqual          = 0x15 // BPF_JMP|BPF_JEQ|BPF_K
	returnValue          = 0x06 // BPF_RET|BPF_K
)

type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

func callForbidden() {
	filter := []instruction{
		{loadWord, 0, 0, 0},
		{jumpIfEqual, 0, 1, syscall.SYS_ACCT},
		{returnValue, 0, 0, seccompKillProcess},
		{returnValue, 0, 0, seccompAllow},
	}
	program := struct {
		length uint16
		filter *instruction
	}{uint16(len(filter)), &filter[0]}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		fail(1, "prctl: %v", errno)
	}
	if _, _, errno := syscall.RawSyscall(sysSeccomp, seccompSetModeFilter, 0, uintptr(unsafe.Pointer(&program))); errno != 0 {
		fail(1, "seccomp: %v", errno)
	}
	// The filter holds for this thread alone, and this call is made by it.
	_, _, _ = syscall.RawSyscall(syscall.SYS_ACCT, 0, 0, 0)
	fail(1, "the filter did not kill")
}

func startChildren(count int) {
	self, err := os.Executable()
	if err != nil {
		fail(1, "cannot find my own program: %v", err)
	}
	for started := 0; started < count; started++ {
		if err := exec.Command(self, "sleep").Start(); err != nil {
			if errors.Is(err, syscall.EAGAIN) {
				fail(int(syscall.EAGAIN), "the kernel refused child %d: %v", started+1, err)
			}
			fail(1, "child %d: %v", started+1, err)
		}
	}
	fmt.Printf("misbehave: %d children run\n", count)
	sleep()
}

func fill(path string, bytes, step size.Bytes) {
	file, err := os.Create(path)
	if err != nil {
		fail(1, "%v", err)
	}
	block := make([]byte, step)
	for written := size.Bytes(0); written < bytes; written += step {
		if _, err := file.Write(block); err != nil {
			if errors.Is(err, syscall.ENOSPC) {
				fail(int(syscall.ENOSPC), "%v after %s", err, written)
			}
			fail(1, "%v", err)
		}
		fmt.Printf("misbehave: wrote %s\n", written+step)
		time.Sleep(200 * time.Millisecond)
	}
	sleep()
}

func killAll(comm, name string) {
	signal, known := map[string]syscall.Signal{"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM}[name]
	if !known {
		fail(2, "signal %q is neither KILL nor TERM", name)
	}
	names, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		fail(1, "%v", err)
	}
	killed := 0
	for _, file := range names {
		content, err := os.ReadFile(file)
		pid := number(strings.Split(file, "/")[2])
		if err != nil || strings.TrimSpace(string(content)) != comm || pid == os.Getpid() {
			continue // gone meanwhile, or another one
		}
		if err := syscall.Kill(pid, signal); err != nil {
			fail(1, "pid %d: %v", pid, err)
		}
		fmt.Printf("misbehave: SIG%s sent by pid %d to pid %d\n", name, os.Getpid(), pid)
		killed++
	}
	if killed == 0 {
		fail(1, "no process is called %q", comm)
	}
	sleep()
}

// sleep waits until somebody ends the program.
func sleep() {
	for {
		time.Sleep(time.Hour)
	}
}

func amount(text string) size.Bytes {
	var bytes size.Bytes
	if err := bytes.Set(text); err != nil {
		fail(2, "%v", err)
	}
	return bytes
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		fail(2, "%v", err)
	}
	return value
}

func fail(status int, format string, values ...any) {
	fmt.Fprintf(os.Stderr, "misbehave: "+format+"\n", values...)
	os.Exit(status)
}
