// Package programs tests the programs as they are used: built, started, and with whom their children end up.
package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var folder string

func TestMain(m *testing.M) {
	made, err := os.MkdirTemp("", "scenario-programs")
	if err != nil {
		panic(err)
	}
	folder = made
	build := exec.Command("go", "build", "-o", folder+"/", "./...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	status := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(status)
}

func TestOrphanMakerEndsAtOnceAndLeavesAnOrphan(t *testing.T) {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER: orphans become ours
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); errno != 0 {
		t.Fatal(errno)
	}
	begun := time.Now()
	job := exec.Command(filepath.Join(folder, "orphan-maker"), "-c", "700ms")
	if out, err := job.Output(); err != nil || len(out) > 0 {
		t.Fatalf("%v %s", err, out)
	}
	if spent := time.Since(begun); spent > 600*time.Millisecond {
		t.Errorf("it waited %s for its child, or for its output", spent)
	}
	var status syscall.WaitStatus
	orphan, err := syscall.Wait4(-1, &status, 0, nil)
	if err != nil || orphan == job.Process.Pid || status.ExitStatus() != 0 {
		t.Errorf("orphan %d, status %v: %v", orphan, status, err)
	}
}

func TestNoneBecomesTheProgram(t *testing.T) {
	shell := exec.Command(filepath.Join(folder, "none"), "--", "/bin/sh", "-c", "echo $$; exit 7")
	out, err := shell.Output()
	exit, isExit := err.(*exec.ExitError)
	if !isExit || exit.ExitCode() != 7 || strings.TrimSpace(string(out)) == "" {
		t.Fatalf("%v %s", err, out)
	}
	if want := shell.Process.Pid; strings.TrimSpace(string(out)) != strconv.Itoa(want) {
		t.Errorf("pid %s, started as %d", out, want)
	}
}
