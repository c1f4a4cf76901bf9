// Package workloads tests the programs as they are used: built, started, and signalled by their own process id.
package workloads

import (
	"bufio"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

var folder string

func TestMain(m *testing.M) {
	made, err := os.MkdirTemp("", "workloads")
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

// run starts a program and returns all it printed and its exit status.
func run(t *testing.T, name string, args ...string) (string, int) {
	t.Helper()
	out, err := exec.Command(filepath.Join(folder, name), args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return string(out), exit.ExitCode()
	}
	return string(out), 0
}

// started is a program whose output is read line by line.
type started struct {
	*exec.Cmd
	lines *bufio.Scanner
}

func start(t *testing.T, name string, args ...string) started {
	t.Helper()
	cmd := exec.Command(filepath.Join(folder, name), args...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return started{cmd, bufio.NewScanner(pipe)}
}

// until reads to the first line that matches and returns its first group.
func (s started) until(t *testing.T, pattern string) string {
	t.Helper()
	for s.lines.Scan() {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(s.lines.Text()); found != nil {
			return found[len(found)-1]
		}
	}
	t.Fatalf("output ended without %q", pattern)
	return ""
}

func (s started) stop(t *testing.T) int {
	t.Helper()
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait() // the status is read below
	return s.ProcessState.ExitCode()
}

func residentKiB(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`VmRSS:\s+(\d+)`).FindStringSubmatch(string(status))
	kib, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return kib
}

func TestMemoryEaterStopsExactlyAtItsCeiling(t *testing.T) {
	out, status := run(t, "memory-eater", "--step=20Mi", "--pause=1ms", "--ceiling=50Mi", "--hold=exit")
	if status != 0 || strings.Count(out, " holds ") != 3 || !strings.Contains(out, "holds 50Mi") {
		t.Errorf("status %d, output:\n%s", status, out)
	}
}

func TestMemoryEaterHoldsWhatItTouchedAndNotWhatItOnlyReserved(t *testing.T) {
	for touch, check := range map[string]func(int) bool{
		"true":  func(kib int) bool { return kib >= 60<<10 },
		"false": func(kib int) bool { return kib < 20<<10 },
	} {
		eater := start(t, "memory-eater", "--pause=1ms", "--ceiling=60Mi", "--touch="+touch)
		eater.until(t, "ceiling 60Mi reached")
		if kib := residentKiB(t, eater.Process.Pid); !check(kib) {
			t.Errorf("with --touch=%s it holds %d KiB", touch, kib)
		}
		if status := eater.stop(t); status != 0 {
			t.Errorf("exit %d on SIGTERM", status)
		}
	}
}

func TestMemoryEaterParentOutlivesItsKilledChild(t *testing.T) {
	eater := start(t, "memory-eater", "--child", "--pause=1ms", "--ceiling=20Mi")
	child, err := strconv.Atoi(eater.until(t, `started child (\d+)`))
	if err != nil {
		t.Fatal(err)
	}
	eater.until(t, "ceiling 20Mi reached")
	if name, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/comm"); err != nil || string(name) != "memory-eater\n" {
		t.Errorf("the kernel calls the child %q, %v", name, err)
	}
	if err := syscall.Kill(child, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if fate := eater.until(t, "ended: (.*);"); fate != "signal: killed" {
		t.Errorf("fate %q", fate)
	}
	if status := eater.stop(t); status != 0 {
		t.Errorf("exit %d on SIGTERM", status)
	}
}

func TestSleeperExitsAsTold(t *testing.T) {
	if out, status := run(t, "sleeper", "--after=10ms", "--exit-code=3"); status != 3 {
		t.Errorf("status %d, output:\n%s", status, out)
	}
	sleeper := start(t, "sleeper")
	sleeper.until(t, "started")
	if status := sleeper.stop(t); status != 0 {
		t.Errorf("exit %d on SIGTERM", status)
	}
}

func TestSleeperIgnoresTermWhenTold(t *testing.T) {
	sleeper := start(t, "sleeper", "--ignore-term")
	sleeper.until(t, "started")
	if err := sleeper.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	sleeper.until(t, "ignored")
}

func TestSleeperStopsOnASignalOfItsOwn(t *testing.T) {
	sleeper := start(t, "sleeper", "--ignore-term", "--stop-signal=37")
	sleeper.until(t, "started")
	if err := sleeper.Process.Signal(syscall.Signal(37)); err != nil {
		t.Fatal(err)
	}
	sleeper.until(t, "got signal 37, exit 0")
}

func TestSleeperEndsWithItsChild(t *testing.T) {
	if out, status := run(t, "sleeper", "--child", "sh", "-c", "exit 4"); status != 1 || !strings.Contains(out, "ended: exit status 4") {
		t.Errorf("status %d, output:\n%s", status, out)
	}
	sleeper := start(t, "sleeper", "--child")
	child, err := strconv.Atoi(sleeper.until(t, `started child (\d+)`))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(child, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	sleeper.until(t, "the child ended: signal: killed, exit 1")
	if err := sleeper.Wait(); err == nil || sleeper.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended: %v", sleeper.ProcessState)
	}
}

func TestCronRunsAgainAndReportsEachStatus(t *testing.T) {
	cron := start(t, "cron", "--every=50ms", "--", "sh", "-c", "exit 4")
	cron.until(t, "run 1 .* ended: exit status 4")
	cron.until(t, "run 2 .* ended: exit status 4")
	if status := cron.stop(t); status != 0 {
		t.Errorf("exit %d on SIGTERM", status)
	}
}

func TestCronReapsOrphansOnlyWhenTold(t *testing.T) {
	cron := start(t, "cron", "--every=1h", "--reap", "--", "sh", "-c", "sleep 0.1 & echo orphan $!")
	orphan := cron.until(t, `orphan (\d+)`)
	cron.until(t, "reaped orphan "+orphan+": exit status 0")
	if status := cron.stop(t); status != 0 {
		t.Errorf("exit %d on SIGTERM", status)
	}
}

func TestProgramsRefuseWrongFlagsWithStatus2(t *testing.T) {
	for _, words := range [][]string{{"memory-eater", "--step=lots"}, {"memory-eater", "--hold=soon"}, {"sleeper", "--exit-code=300"}, {"cron"}, {"resolve"}, {"await-api"}} {
		if out, status := run(t, words[0], words[1:]...); status != 2 || out == "" {
			t.Errorf("%q: status %d, output %q", words, status, out)
		}
	}
}

func TestResolveSaysWhetherItFoundTheName(t *testing.T) {
	if out, status := run(t, "resolve", "localhost"); status != 0 || !strings.Contains(out, "127.0.0.1") {
		t.Errorf("localhost: status %d, output %q", status, out)
	}
	if _, status := run(t, "resolve", "--timeout=200ms", "does-not-exist.invalid"); status != 1 {
		t.Errorf("invalid name: status %d", status)
	}
}

func TestAwaitApiEndsWhenTheServerIsHealthyAndNotBefore(t *testing.T) {
	asked := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		asked++
		if asked < 3 {
			http.Error(answer, "starting", http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	if out, status := run(t, "await-api", "--wait=20s", server.URL); status != 0 || asked != 3 {
		t.Errorf("status %d after %d looks, output %q", status, asked, out)
	}
	asked = -1_000_000
	if out, status := run(t, "await-api", "--wait=300ms", server.URL); status != 1 || !strings.Contains(out, "starting") {
		t.Errorf("never healthy: status %d, output %q", status, out)
	}
}

func TestPauseEndsOnTerm(t *testing.T) {
	pause := start(t, "pause")
	pause.until(t, "holding")
	if status := pause.stop(t); status != 0 {
		t.Errorf("exit %d on SIGTERM", status)
	}
}

func TestMisbehaveDiesOfWhatItSays(t *testing.T) {
	for command, want := range map[string]syscall.Signal{
		"segv": syscall.SIGSEGV, "abort": syscall.SIGABRT, "seccomp": syscall.SIGSYS,
	} {
		err := exec.Command(filepath.Join(folder, "misbehave"), command).Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != want {
			t.Errorf("misbehave %s: %v, want %v", command, err, want)
		}
	}
	for _, command := range [][]string{{}, {"nothing"}, {"exit"}, {"fill", "/tmp/x", "lots", "1"}} {
		if _, status := run(t, "misbehave", command...); status != 2 {
			t.Errorf("misbehave %v: status %d, want 2", command, status)
		}
	}
	if _, status := run(t, "misbehave", "exit", "7"); status != 7 {
		t.Errorf("misbehave exit 7: status %d", status)
	}
}

func TestMisbehaveKillsByName(t *testing.T) {
	victim := exec.Command(filepath.Join(folder, "sleeper"))
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	if _, status := run(t, "misbehave", "kill", "no-such-name", "KILL"); status != 1 {
		t.Errorf("kill of nobody: status %d, want 1", status)
	}
	_ = victim.Process.Kill()
	_ = victim.Wait()
}
