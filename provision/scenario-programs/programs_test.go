// Package programs tests the programs as they are used: built, started, and with whom their children end up.
package programs

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	job, orphan := leaveOrphan(t, "10ms")
	var status syscall.WaitStatus
	ended, err := syscall.Wait4(-1, &status, 0, nil)
	if err != nil || ended == job || ended != orphan || status.ExitStatus() != 0 {
		t.Errorf("orphan %d of %d, status %v: %v", ended, orphan, status, err)
	}
	// It waits neither for its child nor for the end of its output: it would take an hour.
	_, orphan = leaveOrphan(t, "1h")
	if ended, err := syscall.Wait4(orphan, nil, syscall.WNOHANG, nil); ended != 0 || err != nil {
		t.Errorf("the orphan %d is over: %v", ended, err)
	}
	_ = syscall.Kill(orphan, syscall.SIGKILL)
	_, _ = syscall.Wait4(orphan, nil, 0, nil)
}

// leaveOrphan runs orphan-maker to its end. It returns its pid and that of the one child that this process has then.
func leaveOrphan(t *testing.T, lifetime string) (job, orphan int) {
	t.Helper()
	command := exec.Command(filepath.Join(folder, "orphan-maker"), "-c", lifetime)
	if out, err := command.Output(); err != nil || len(out) > 0 {
		t.Fatalf("%v %s", err, out)
	}
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	var children []string
	for _, list := range lists {
		found, err := os.ReadFile(list)
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ESRCH) { // a thread that ended
			t.Fatal(err)
		}
		children = append(children, strings.Fields(string(found))...)
	}
	if len(children) != 1 {
		t.Fatalf("children %v", children)
	}
	orphan, err := strconv.Atoi(children[0])
	if err != nil {
		t.Fatal(err)
	}
	return command.Process.Pid, orphan
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

func TestLeaveFileLeavesAFileOfThatSize(t *testing.T) {
	file := filepath.Join(t.TempDir(), "left")
	if out, err := exec.Command(filepath.Join(folder, "leave-file"), file, "8192").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if info, err := os.Stat(file); err != nil || info.Size() != 8192 {
		t.Fatalf("%v, %v", info, err)
	}
	for _, words := range [][]string{{file}, {file, "many"}, {filepath.Join(folder, "none", "left"), "1"}} {
		if err := exec.Command(filepath.Join(folder, "leave-file"), words...).Run(); err == nil {
			t.Errorf("%q was done", words)
		}
	}
}

// watch starts a program, shows its process once it has printed a line, and ends it with its children.
func watch(t *testing.T, environment string, words []string, look func(pid int)) (line string) {
	t.Helper()
	program := exec.Command(filepath.Join(folder, words[0]), words[1:]...)
	program.Env = append(os.Environ(), environment)
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	line, err = bufio.NewReader(out).ReadString('\n')
	look(program.Process.Pid)
	_ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL)
	_ = program.Wait()
	if err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return line
}

func TestSeeMemoryPrintsWhatTheKernelSays(t *testing.T) {
	line := watch(t, "", []string{"see-memory"}, func(int) {})
	if !regexp.MustCompile(`^MemTotal: +\d+ kB\n$`).MatchString(line) {
		t.Fatalf("%q", line)
	}
}

func TestBurnCPUBurnsTheCPUThatItIsGiven(t *testing.T) {
	var status []byte
	line := watch(t, "", []string{"burn-cpu", "tested", "0"}, func(pid int) {
		status, _ = os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	})
	if line != "burn-cpu: tested burns\n" {
		t.Errorf("%q", line)
	}
	if !regexp.MustCompile(`(?m)^Cpus_allowed_list:\t0$`).Match(status) {
		t.Errorf("not on CPU 0 alone: %s", status)
	}
	for _, words := range [][]string{{}, {"tested", "-1"}, {"tested", "63"}} {
		if err := exec.Command(filepath.Join(folder, "burn-cpu"), words...).Run(); err == nil {
			t.Errorf("%q was done", words)
		}
	}
}

// residentOf looks at the memory and the children of a program that has printed its first line.
func residentOf(t *testing.T, environment string, words ...string) (line string, residentMiB, children int) {
	t.Helper()
	var statm []byte
	line = watch(t, environment, words, func(pid int) {
		process := filepath.Join("/proc", strconv.Itoa(pid))
		statm, _ = os.ReadFile(filepath.Join(process, "statm"))
		lists, _ := filepath.Glob(filepath.Join(process, "task/*/children"))
		for _, list := range lists {
			found, _ := os.ReadFile(list)
			children += len(strings.Fields(string(found)))
		}
	})
	fields := strings.Fields(string(statm))
	if len(fields) < 2 {
		t.Fatalf("%q, %q", line, statm)
	}
	pages, _ := strconv.Atoi(fields[1])
	return line, pages * os.Getpagesize() / (1 << 20), children
}

func TestTakeMemoryHoldsWhatItIsTold(t *testing.T) {
	for _, kind := range []string{"anonymous", "shared"} {
		if line, resident, _ := residentOf(t, "", "take-memory", kind, "20"); line != "take-memory: holds 20 MiB\n" || resident < 20 || resident > 40 {
			t.Errorf("%s: %q, %d MiB", kind, line, resident)
		}
	}
	// Nobody has made the folder that it writes into.
	for _, words := range [][]string{{"anonymous"}, {"file", "1"}, {"shared", "1", "2"}, {"borrowed", "1"}, {"anonymous", "x"}} {
		if err := exec.Command(filepath.Join(folder, "take-memory"), words...).Run(); err == nil {
			t.Errorf("%q was done", words)
		}
	}
}

func TestGrowHeapKeepsWhatItIsTold(t *testing.T) {
	if line, resident, _ := residentOf(t, "GOMEMLIMIT=40MiB", "grow-heap", "20"); line != "grow-heap: keeps 20 MiB\n" || resident < 20 || resident > 50 {
		t.Errorf("%q, %d MiB", line, resident)
	}
	if err := exec.Command(filepath.Join(folder, "grow-heap"), "much").Run(); err == nil {
		t.Error("it grew by a word")
	}
}

func TestEatAboveChildHasAChildThatSleeps(t *testing.T) {
	if line, resident, children := residentOf(t, "", "eat-above-child", "eat", "10"); line != "eat-above-child: holds 10 MiB\n" || resident < 10 || children != 1 {
		t.Errorf("%q, %d MiB, %d children", line, resident, children)
	}
	if err := exec.Command(filepath.Join(folder, "eat-above-child"), "eat").Run(); err == nil {
		t.Error("it ate without an amount")
	}
}

func TestIgnoreStatusEndsWithoutOne(t *testing.T) {
	program := filepath.Join(folder, "ignore-status")
	for _, script := range []string{"exit 7", "kill -KILL $$", "exit 0"} {
		out, err := exec.Command(program, "1ms", "/bin/sh", "-c", script).Output()
		if err != nil || !strings.Contains(string(out), "ending with 0") {
			t.Errorf("%s: %v %s", script, err, out)
		}
	}
	var exit *exec.ExitError
	if err := exec.Command(program, "1ms", "/none/such").Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("no program: %v", err)
	}
}

// begin starts a program, and returns it with its output.
func begin(t *testing.T, words ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	program := exec.Command(filepath.Join(folder, words[0]), words[1:]...)
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Process.Kill() })
	return program, bufio.NewScanner(out)
}

// next is the next line that a program prints; empty when it has ended.
func next(lines *bufio.Scanner) string {
	lines.Scan()
	return lines.Text()
}

func refusesAll(t *testing.T, name string, all [][]string) {
	t.Helper()
	for _, words := range all {
		err := exec.Command(filepath.Join(folder, name), words...).Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Errorf("%s %q: %v", name, words, err)
		}
	}
}

func TestEndLateEndsAfterItsTimeWhateverElseComes(t *testing.T) {
	program, lines := begin(t, "end-late", "300ms", "7")
	next(lines)
	before := time.Now()
	_ = program.Process.Signal(syscall.SIGTERM)
	if line := next(lines); line != "end-late: got terminated, ends in 300ms" {
		t.Errorf("%q", line)
	}
	_ = program.Process.Signal(syscall.SIGTERM)
	if line := next(lines); line != "end-late: exit 7" {
		t.Errorf("%q", line)
	}
	_ = program.Wait()
	if took := time.Since(before); took < 300*time.Millisecond || program.ProcessState.ExitCode() != 7 {
		t.Errorf("%s, %s", took, program.ProcessState)
	}
	refusesAll(t, "end-late", [][]string{{}, {"soon"}, {"-1s"}, {"1s", "256"}, {"1s", "0", "0"}})
}

// socketsOf counts the sockets among the file descriptors of a process.
func socketsOf(t *testing.T, pid int) (sockets int) {
	t.Helper()
	links, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fd", "*"))
	for _, link := range links {
		if target, _ := os.Readlink(link); strings.HasPrefix(target, "socket:") {
			sockets++
		}
	}
	return sockets
}

func TestHoldConnectionsHoldsThem(t *testing.T) {
	server, said := begin(t, "hold-connections", "accept", "127.0.0.1:0")
	_, address, _ := strings.Cut(next(said), "accepts at ")
	client, lines := begin(t, "hold-connections", "30", address)
	if line := next(lines); line != "hold-connections: holds 30 to "+address {
		t.Fatalf("%q", line)
	}
	if sockets := socketsOf(t, client.Process.Pid); sockets != 30 {
		t.Errorf("%d sockets", sockets)
	}
	for _, program := range []*exec.Cmd{client, server} {
		_ = program.Process.Signal(syscall.SIGTERM)
	}
	if line := next(lines); line != "hold-connections: got terminated, exit 0" {
		t.Errorf("%q", line)
	}
	refusesAll(t, "hold-connections", [][]string{{}, {"many"}, {"1", "2", "3"}, {"accept", "nowhere"}})
}

func TestHoldConnectionsSaysThatNoDescriptorIsLeft(t *testing.T) {
	script := `ulimit -n 40; exec "$0" 60`
	out, err := exec.Command("/bin/sh", "-c", script, filepath.Join(folder, "hold-connections")).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != int(syscall.EMFILE) {
		t.Errorf("%v: %s", err, out)
	}
}

func TestForkAtRateStartsThatManyAndReapsThem(t *testing.T) {
	before := time.Now()
	program, lines := begin(t, "fork-at-rate", "100", "10ms", "20")
	if line := next(lines); line != "fork-at-rate: 100 a second, each lives 10ms" {
		t.Errorf("%q", line)
	}
	if line := next(lines); line != "fork-at-rate: started 20" {
		t.Errorf("%q", line)
	}
	if took := time.Since(before); took < 200*time.Millisecond {
		t.Errorf("20 children in %s", took)
	}
	lists := filepath.Join("/proc", strconv.Itoa(program.Process.Pid), "task/*/children")
	for left := -1; left != 0; {
		left = 0
		files, _ := filepath.Glob(lists)
		if len(files) == 0 {
			t.Fatal("it has ended, or this kernel lists no children")
		}
		for _, file := range files {
			found, _ := os.ReadFile(file)
			left += len(strings.Fields(string(found)))
		}
	}
	refusesAll(t, "fork-at-rate", [][]string{{}, {"1"}, {"0", "1s"}, {"1", "soon"}, {"many", "1s"}, {"1", "1s", "all"}})
}
