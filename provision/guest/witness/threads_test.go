package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

const roleVariable = "WITNESS_TEST_ROLE"

// init makes this program one whose first thread ends while another one waits for the end of standard input.
func init() {
	if os.Getenv(roleVariable) != "leaderless" {
		return
	}
	runtime.LockOSThread()
	ready := make(chan struct{})
	go func() {
		close(ready)
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	<-ready
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("%s: not within 30 s", what)
}

// withoutLeader starts a real process whose first thread has ended.
func withoutLeader(t *testing.T) (pid int, end func()) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), roleVariable+"=leaderless")
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	pid = command.Process.Pid
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	await(t, "the end of the first thread", func() bool { found, alive := readProcess(pid); return found.dead && !alive })
	return pid, func() {
		_ = input.Close()
		await(t, "the end of all threads", func() bool { return len(livingThreads(pid)) == 0 })
	}
}

func exitOf(tid int, mono int64, more string) traceLine {
	detail := fmt.Sprintf("comm=eat pid=%d prio=120%s", tid, more)
	return traceLine{event: "sched_process_exit", comm: "eat", mono: mono, detail: detail}
}

func watching(pid int) (*watcher, *bytes.Buffer) {
	var out bytes.Buffer
	w := newWatcher(newEmitter(&out, time.Now, monotonicMicros), hierarchy{}, nil)
	w.processes[pid] = "/kubepods.slice/a.scope"
	return w, &out
}

func TestTheEndOfTheFirstThreadIsNotTheEndOfTheProcess(t *testing.T) {
	pid, end := withoutLeader(t)
	w, out := watching(pid)
	w.traced(exitOf(pid, 5_000_000, ""))
	w.sweep()
	if out.Len() > 0 || w.processes[pid] == "" {
		t.Fatal("it lives on, and was said to have ended:", out)
	}
	threads := livingThreads(pid)
	end()
	mono := int64(9_000_000)
	for tid := range threads {
		w.traced(exitOf(tid, mono, ""))
	}
	want := fmt.Sprintf(`"mono":%d,"kind":"exit"`, mono)
	if got := out.String(); strings.Count(got, `"kind":"exit"`) != 1 || !strings.Contains(got, want) || !strings.Contains(got, `"groupDead":true`) {
		t.Fatal(got)
	}
}

func TestTheEndOfAProcessIsFoundThoughTheTraceLostThatOfItsLastThread(t *testing.T) {
	pid, end := withoutLeader(t)
	w, out := watching(pid)
	w.traced(exitOf(pid, 5_000_000, ""))
	end()
	w.sweep()
	if got := out.String(); strings.Count(got, `"kind":"exit"`) != 1 {
		t.Fatal(got)
	}
}

func TestWhatTheKernelSaysOfTheLastThreadCounts(t *testing.T) {
	const pid, thread = 4194000, 4194001
	w, out := watching(pid)
	w.threads = func(int) map[int]bool { return map[int]bool{thread: true, thread + 1: true} }
	w.traced(exitOf(pid, 5_000_000, " group_dead=false"))
	w.traced(exitOf(thread, 6_000_000, " group_dead=true"))
	if got := out.String(); !strings.Contains(got, `"mono":6000000,"kind":"exit"`) {
		t.Fatal(got)
	}
}

func TestAThreadWhoseEndCameFirstDoesNotKeepAProcessAlive(t *testing.T) {
	const pid, thread = 4194000, 4194001
	w, out := watching(pid)
	w.threads = func(int) map[int]bool { return map[int]bool{thread: true} }
	w.traced(exitOf(thread, 4_900_000, ""))
	w.traced(exitOf(pid, 5_000_000, ""))
	if got := out.String(); !strings.Contains(got, `"mono":5000000,"kind":"exit"`) {
		t.Fatal(got)
	}
}

func TestExecByAnotherThreadIsNoEnd(t *testing.T) {
	const pid, thread = 4194000, 4194001
	w, out := watching(pid)
	w.threads = func(int) map[int]bool { return map[int]bool{thread: true} }
	w.traced(exitOf(pid, 5_000_000, ""))
	w.traced(traceLine{event: "sched_process_exec", detail: fmt.Sprintf("filename=/eat pid=%d old_pid=%d", pid, thread)})
	w.threads = func(int) map[int]bool { return nil }
	w.sweep()
	if strings.Contains(out.String(), `"kind":"exit"`) || w.processes[pid] == "" {
		t.Fatal("it lives on, and was said to have ended:", out)
	}
}
