package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asking makes a watcher that was asked for names, over the real processes of this machine.
func asking(t *testing.T, globs ...string) (*watcher, *bytes.Buffer) {
	t.Helper()
	hierarchy, err := findHierarchy("/sys/fs/cgroup")
	if err != nil {
		t.Skip("no cgroups here: ", err)
	}
	var out bytes.Buffer
	return newWatcher(newEmitter(&out, time.Now, monotonicMicros), hierarchy, nil, globs...), &out
}

// sleeping starts a real process, in no pod.
func sleeping(t *testing.T) (pid int, end func(syscall.Signal)) {
	t.Helper()
	command := exec.Command("/bin/sleep", "60")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	pid = command.Process.Pid
	await(t, "the name of its program", func() bool {
		content, err := readFile(procPath(pid, "comm"))
		return err == nil && string(content) == "sleep\n"
	})
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	return pid, func(signal syscall.Signal) {
		_ = command.Process.Signal(signal)
		await(t, "its end", func() bool { _, alive := readProcess(pid); return !alive })
	}
}

func execOf(pid int, file string) traceLine {
	return traceLine{event: "sched_process_exec", detail: fmt.Sprintf("filename=%s pid=%d old_pid=%d", file, pid, pid)}
}

func TestTheEndOfANamedProcessInNoPodIsWritten(t *testing.T) {
	pid, end := sleeping(t)
	w, out := asking(t, "night-watch", "sl?ep")
	w.traced(execOf(pid, "/bin/sleep"))
	end(syscall.SIGTERM)
	w.traced(exitOf(pid, 7_000_000, ""))
	want := fmt.Sprintf(`"mono":7000000,"kind":"node-exit","cgroup":"%s","comm":"sleep","pid":%d}`, w.hierarchy.cgroupOf(os.Getpid()), pid)
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, want) {
		t.Fatal(got, "want", want)
	}
}

func TestANamedProcessOfBeforeTheTraceIsFoundInProc(t *testing.T) {
	pid, end := sleeping(t)
	w, out := asking(t, "sleep")
	w.lookForNames(time.Now())
	end(syscall.SIGTERM)
	w.traced(exitOf(pid, 7_000_000, ""))
	if got := out.String(); !strings.Contains(got, fmt.Sprintf(`"pid":%d}`, pid)) {
		t.Fatal(got)
	}
}

func TestTheEndOfAProcessThatNobodyAskedForIsNotWritten(t *testing.T) {
	pid, end := sleeping(t)
	w, out := asking(t, "night-watch")
	w.traced(execOf(pid, "/bin/sleep"))
	w.lookForNames(time.Now())
	end(syscall.SIGTERM)
	w.traced(exitOf(pid, 7_000_000, ""))
	if out.Len() > 0 {
		t.Fatal(out)
	}
}

func TestTheEndOfAThreadIsNotTheEndOfANamedProcess(t *testing.T) {
	pid, _ := sleeping(t)
	w, out := asking(t, "sleep")
	w.traced(execOf(pid, "/bin/sleep"))
	w.traced(exitOf(pid+100_000, 7_000_000, ""))
	w.traced(exitOf(pid, 7_000_000, "")) // its first thread, while /proc says that the process lives
	if out.Len() > 0 {
		t.Fatal(out)
	}
}

func TestAProcessThatTookAnotherNameByExecIsNoLongerMeant(t *testing.T) {
	pid, end := sleeping(t)
	w, out := asking(t, "sleep")
	w.traced(execOf(pid, "/bin/sleep"))
	w.traced(execOf(pid, "/bin/other"))
	end(syscall.SIGTERM)
	w.traced(exitOf(pid, 7_000_000, ""))
	if out.Len() > 0 {
		t.Fatal(out)
	}
}

func TestOneThatEndedBeforeItsCgroupWasReadHasNone(t *testing.T) {
	const gone = 4194000
	w, out := asking(t, "fifteen-letter*")
	w.traced(execOf(gone, "/usr/bin/fifteen-letters-and-more"))
	w.traced(exitOf(gone, 7_000_000, ""))
	if got := out.String(); !strings.Contains(got, `"kind":"node-exit","cgroup":"","comm":"fifteen-letters"`) {
		t.Fatal(got)
	}
}

func TestProcessesOfPodsAreToldOfInOtherWays(t *testing.T) {
	pid, end := sleeping(t)
	w, out := asking(t, "sleep")
	w.processes[pid] = "/kubepods.slice/a.scope"
	w.traced(execOf(pid, "/bin/sleep"))
	out.Reset()
	end(syscall.SIGTERM)
	w.traced(exitOf(pid, 7_000_000, ""))
	if got := out.String(); strings.Contains(got, "node-exit") || !strings.Contains(got, `"kind":"exit"`) {
		t.Fatal(got)
	}
}

func TestNoMoreThanAHundredEndsOfOneNameAreWritten(t *testing.T) {
	w, out := asking(t, "busy", "other")
	for pid := 4194000; pid < 4194000+3*mostEnds; pid++ {
		w.traced(execOf(pid, "/bin/busy"))
		w.traced(exitOf(pid, 7_000_000, ""))
	}
	w.traced(execOf(4193000, "/bin/other"))
	w.traced(exitOf(4193000, 8_000_000, ""))
	if got := out.String(); strings.Count(got, `"comm":"busy"`) != mostEnds || !strings.Contains(got, `"comm":"other"`) {
		t.Fatal(strings.Count(got, "\n"))
	}
	if len(w.outsiders.living) > 0 {
		t.Fatal(w.outsiders.living)
	}
}

func TestEndsAreAskedForOnTheCommandLine(t *testing.T) {
	if names, asks := endsAskedFor([]string{"ends", "night-watch", "etcd*"}); !asks || fmt.Sprint(names) != "[night-watch etcd*]" {
		t.Fatal(names, asks)
	}
	for _, words := range [][]string{nil, {"reseed"}, {"arm"}} {
		if names, asks := endsAskedFor(words); asks || names != nil {
			t.Fatal(words, names)
		}
	}
}

func TestGlobsOfNames(t *testing.T) {
	for _, fitting := range [][2]string{{"*", "etcd"}, {"etcd", "etcd"}, {"e*d", "etcd"}, {"e?cd*", "etcd"}, {"kworker/*", "kworker/0:1"}} {
		if !fits(fitting[0], fitting[1]) {
			t.Error(fitting)
		}
	}
	for _, other := range [][2]string{{"", "etcd"}, {"etc", "etcd"}, {"etcd?", "etcd"}, {"[e]tcd", "etcd"}} {
		if fits(other[0], other[1]) {
			t.Error(other)
		}
	}
}
