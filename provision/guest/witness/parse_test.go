package main

import (
	"bytes"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestTraceLineWithSpacesAndDashesInTheName(t *testing.T) {
	text := " my-odd name-812     [001] d..1.  1234.000567: signal_generate: sig=9 errno=0 code=0 comm=a pid=1 b pid=900 grp=1 res=0"
	line, ok := parseTraceLine(text)
	if !ok || line.comm != "my-odd name" || line.pid != 812 || line.mono != 1234000567 || line.event != "signal_generate" {
		t.Fatalf("%+v", line)
	}
	signal, ok := parseSignal(line.detail)
	if !ok || signal.signal != 9 || signal.comm != "a pid=1 b" || signal.pid != 900 || signal.result != 0 {
		t.Fatalf("%+v", signal)
	}
}

func TestNegativeSignalCode(t *testing.T) {
	signal, ok := parseSignal("sig=6 errno=0 code=-6 comm=eat pid=812 grp=0 res=0")
	if !ok || signal.code != -6 {
		t.Fatalf("%+v", signal)
	}
}

func TestVictimOfTheOomKiller(t *testing.T) {
	for _, detail := range []string{
		"pid=812",
		"pid=812 comm=eat x total-vm=1048576kB anon-rss=4kB file-rss:4kB shmem-rss:0kB uid=0 pgtables=8kB oom_score_adj=986",
	} {
		line, ok := parseTraceLine("            eat-812     [001] ....1  1234.000567: mark_victim: " + detail)
		if !ok || line.event != "mark_victim" {
			t.Fatalf("%+v", line)
		}
		if pid, ok := parseVictim(line.detail); !ok || pid != 812 {
			t.Fatal(detail, pid, ok)
		}
	}
	if _, ok := parseVictim("comm=pid=812"); ok {
		t.Fatal("a name is no victim")
	}
}

func TestLostTraceEventsAreNotSilent(t *testing.T) {
	line, ok := parseTraceLine("CPU:1 [LOST 12 EVENTS]")
	if !ok || line.event != "lost" {
		t.Fatalf("%+v", line)
	}
	if _, ok := parseTraceLine("# tracer: nop"); ok {
		t.Fatal("a comment is no event")
	}
}

func TestForkExitAndExec(t *testing.T) {
	parent, child, comm, ok := parseFork("comm=sh pid=10 child_comm=sh x child_pid=11")
	if !ok || parent != 10 || child != 11 || comm != "sh x" {
		t.Fatal(parent, child, comm, ok)
	}
	if pid := parseExec("filename=/eat pid=813 old_pid=813"); pid != 813 {
		t.Fatal(pid)
	}
	if pid := parseExec("garbage"); pid != -1 {
		t.Fatal(pid)
	}
}

func TestOnlyNewKernelsSayThatTheLastThreadEnded(t *testing.T) {
	for detail, wanted := range map[string]exitEvent{
		"comm=eat pid=812 prio=120":                  {pid: 812},
		"comm=eat pid=812 prio=120 group_dead=true":  {pid: 812, groupDead: true},
		"comm=eat pid=812 prio=-2 group_dead=false":  {pid: 812},
		"comm=a pid=1 prio=2 pid=812 prio=120":       {pid: 812},
		"comm=group_dead=true pid=812 prio=120":      {pid: 812},
		"comm=a pid=7 prio=1 group pid=812 prio=120": {pid: 812},
	} {
		if event, ok := parseExit(detail); !ok || event != wanted {
			t.Fatal(detail, event, ok)
		}
	}
	if _, ok := parseExit("garbage"); ok {
		t.Fatal("garbage is no end")
	}
}

func TestProcCgroup(t *testing.T) {
	v2 := "0::/kubepods.slice/x.scope\n"
	v1 := "9:name=systemd:/s\n4:cpu,cpuacct:/c\n3:memory:/kubepods/burstable/pod1/abc\n0::/u\n"
	if got := parseProcCgroup(v2, "v2"); got != "/kubepods.slice/x.scope" {
		t.Fatal(got)
	}
	if got := parseProcCgroup(v1, "v1"); got != "/kubepods/burstable/pod1/abc" {
		t.Fatal(got)
	}
}

func TestValues(t *testing.T) {
	flat := parseValues("low 0\noom 1\noom_kill 2\n")
	if !reflect.DeepEqual(flat, map[string]string{"low": "0", "oom": "1", "oom_kill": "2"}) {
		t.Fatal(flat)
	}
	if got := parseValues("134217728\n"); got[""] != "134217728" {
		t.Fatal(got)
	}
	if got := parseValues("cpuset cpu io\n"); got[""] != "cpuset cpu io" {
		t.Fatal(got)
	}
	pressure := "some avg10=1.50 avg60=0.00 avg300=0.00 total=900\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=700\n"
	if got := parseValues(pressure); !reflect.DeepEqual(got, map[string]string{"some": "900", "full": "700"}) {
		t.Fatal(got)
	}
}

func TestStatusTakesTheInnermostPid(t *testing.T) {
	found := parseStatus("Name:\teat\nTgid:\t812\nPid:\t812\nPPid:\t790\nNSpid:\t812\t1\n")
	if found != (process{pid: 812, tgid: 812, ppid: 790, nsPid: 1, comm: "eat"}) {
		t.Fatalf("%+v", found)
	}
	if got := parseStartTicks("812 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20"); got != "4242" {
		t.Fatal(got)
	}
}

func TestRecordsAreNumberedAndDatedBack(t *testing.T) {
	var out bytes.Buffer
	e := newEmitter(&out, func() time.Time { return time.UnixMilli(5000) }, func() int64 { return 2_000_000 })
	e.emit("start", nil)
	e.emitAt("signal", 1_000_000, map[string]any{"sig": 9})
	want := `{"seq":1,"at":5000,"mono":2000000,"kind":"start"}` + "\n" + `{"seq":2,"at":4000,"mono":1000000,"kind":"signal","sig":9}` + "\n"
	if got := out.String(); got != want {
		t.Fatal(strings.TrimSpace(got))
	}
}

func TestTheLastThreadOfAnEndedProcessStillBelongsToItsCgroup(t *testing.T) {
	const leader, thread, path = 4194000, 4194001, "/kubepods.slice/a.scope"
	var out bytes.Buffer
	w := newWatcher(newEmitter(&out, time.Now, monotonicMicros), hierarchy{}, nil)
	w.processes[leader] = path
	w.traced(traceLine{event: "sched_process_exit", detail: "comm=eat pid=4194000 prio=120"})
	line := []relative{{pid: thread}, {pid: leader}, {pid: 1, cgroup: "/system.slice/containerd.service"}}
	if got := w.cgroupOfFirst(line); got != path {
		t.Fatal(got)
	}
	w.traced(traceLine{event: "sched_process_fork", detail: "comm=sh pid=10 child_comm=sh child_pid=4194000"})
	if got := w.cgroupOfFirst(line); got != "/system.slice/containerd.service" {
		t.Fatal("the pid belongs to somebody else now", got)
	}
}

func TestAnEndedProcessThatNobodyReapedIsInNoCgroup(t *testing.T) {
	h := hierarchy{version: "v2"}
	command := exec.Command("/bin/cat")
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Wait() }()
	pid := command.Process.Pid
	living := h.cgroupOf(pid)
	if got := h.cgroupOfLiving(pid); got != living {
		t.Fatal(got)
	}
	_ = input.Close()
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); {
		if found, alive := readProcess(pid); !alive {
			if !found.dead {
				t.Fatal("gone instead of dead: somebody reaped it")
			}
			if got := h.cgroupOfLiving(pid); got != "" {
				t.Fatal(got)
			}
			return
		}
	}
	t.Fatal("it did not end within 10 s")
}
