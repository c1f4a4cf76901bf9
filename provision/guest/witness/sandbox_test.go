package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOnlyProcessesOfASandboxTellTheirCommandLine(t *testing.T) {
	sandbox := "runsc-sandbox\x00--root=/run\x00boot\x00--total-memory\x004128530432\x00abc\x00"
	if got := parseSandboxArguments(sandbox); got != "runsc-sandbox --root=/run boot --total-memory 4128530432 abc" {
		t.Fatal(got)
	}
	if got := parseSandboxArguments("/usr/local/bin/runsc\x00gofer\x00"); got != "/usr/local/bin/runsc gofer" {
		t.Fatal(got)
	}
	for _, other := range []string{"", "/eat\x00--password=runsc\x00", "/opt/runsc/eat\x00"} {
		if got := parseSandboxArguments(other); got != "" {
			t.Fatal(got)
		}
	}
	if got := parseSandboxArguments("runsc\x00" + strings.Repeat("x", 2*maxArguments)); len(got) != maxArguments {
		t.Fatal(len(got))
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestVersion1HasAHierarchyForEachController(t *testing.T) {
	mount := t.TempDir()
	writeFile(t, filepath.Join(mount, "memory", "cgroup.procs"), "")
	found, err := findHierarchy(mount)
	if err != nil || found.version != "v1" {
		t.Fatal(found.version, err)
	}
	if got := found.file("/kubepods/pod1", "memory.oom_control"); got != filepath.Join(mount, "memory/kubepods/pod1/memory.oom_control") {
		t.Fatal(got)
	}
	if got := found.file("/kubepods/pod1", "pids.events"); got != filepath.Join(mount, "pids/kubepods/pod1/pids.events") {
		t.Fatal(got)
	}
}

// A container below the service of the runtime is what a v1 node with two cgroup drivers has.
func TestVersion1CountersOfAContainerOutsideOfItsPodAreRead(t *testing.T) {
	mount := t.TempDir()
	const path = "/system.slice/containerd.service/kubepods-burstable-pod1.slice:cri-containerd:abc"
	writeFile(t, filepath.Join(mount, "memory", "cgroup.procs"), "")
	writeFile(t, filepath.Join(mount, "memory", path, "memory.oom_control"), "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
	writeFile(t, filepath.Join(mount, "pids", path, "pids.events"), "max 0\n")
	found, err := findHierarchy(mount)
	if err != nil {
		t.Fatal(err)
	}
	out := watched(t, found, func(w *watcher) {
		w.walk()
		writeFile(t, filepath.Join(mount, "memory", path, "memory.oom_control"), "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
		writeFile(t, filepath.Join(mount, "pids", path, "pids.events"), "max 3\n")
		w.walk()
	})
	for _, want := range []string{`"oom_kill":"0"`, `"oom_kill":"1"`, `"values":{"max":"3"}`, path} {
		if !strings.Contains(out, want) {
			t.Fatalf("%s is not in\n%s", want, out)
		}
	}
}

func TestALostControllerIsSeenInThePodAtTheSameMoment(t *testing.T) {
	mount := t.TempDir()
	const slice, pod = "/kubepods.slice/kubepods-burstable.slice", "/kubepods.slice/kubepods-burstable.slice/pod.slice"
	writeFile(t, filepath.Join(mount, slice, subtreeControl), "cpuset cpu memory pids\n")
	writeFile(t, filepath.Join(mount, pod, "cgroup.controllers"), "cpuset cpu memory pids\n")
	tree := hierarchy{version: "v2", root: mount, pids: mount, hard: []string{"cgroup.controllers", subtreeControl}}
	out := watched(t, tree, func(w *watcher) {
		w.watches[7] = slice
		w.walk()
		w.watches[7] = slice
		writeFile(t, filepath.Join(mount, slice, subtreeControl), "cpu memory pids\n")
		writeFile(t, filepath.Join(mount, pod, "cgroup.controllers"), "cpu memory pids\n")
		w.changed(change{watch: 7})
	})
	for _, file := range []string{subtreeControl, "cgroup.controllers"} {
		if want := `"file":"` + file + `","path"`; strings.Count(out, want) != 2 {
			t.Fatalf("%s was not read twice in\n%s", file, out)
		}
	}
}

// watched returns what a watcher without inotify writes.
func watched(t *testing.T, tree hierarchy, work func(*watcher)) string {
	t.Helper()
	notify, err := startInotify()
	if err != nil {
		t.Skip("no inotify here:", err)
	}
	var out bytes.Buffer
	work(newWatcher(newEmitter(&out, time.Now, monotonicMicros), tree, notify))
	return out.String()
}
