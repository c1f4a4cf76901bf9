package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// mostEnds bounds what is written of one name: a node may start and end a program for ever, and whether one has ended is
// all that is asked.
const mostEnds = 100

// lookForNamesEvery is how often processes are looked for that have given themselves a name that was asked for.
const lookForNamesEvery = time.Second

// maxComm is TASK_COMM_LEN of include/linux/sched.h, less the zero at its end.
const maxComm = 15

// outsiders are the processes in no pod whose end was asked for by their name. Every other end of such a process goes unwritten:
// a node has thousands of them.
type outsiders struct {
	globs   []string
	written map[string]int
	living  map[int]outside
	lookAt  time.Time
}

// outside is a process in no pod. Its cgroup is empty when it ended before anybody could read it: it may be of a pod.
type outside struct {
	comm, cgroup string
}

func newOutsiders(globs []string) outsiders {
	return outsiders{globs: globs, written: map[string]int{}, living: map[int]outside{}}
}

// glob returns the first glob that a name fits, as long as more ends are to be written of it.
func (o *outsiders) glob(comm string) (string, bool) {
	for _, glob := range o.globs {
		if o.written[glob] < mostEnds && fits(glob, comm) {
			return glob, true
		}
	}
	return "", false
}

// fits compares with a glob: `*` is any characters, `?` one (lab/model/text/match-glob.ts). Names have 15 characters.
func fits(glob, text string) bool {
	if glob == "" {
		return text == ""
	}
	if glob[0] == '*' {
		for from := 0; from <= len(text); from++ {
			if fits(glob[1:], text[from:]) {
				return true
			}
		}
		return false
	}
	return text != "" && (glob[0] == '?' || glob[0] == text[0]) && fits(glob[1:], text[1:])
}

// named notes a process that has a name now. One of a pod is told of in other ways.
func (w *watcher) named(pid int, comm string) {
	if _, asked := w.outsiders.glob(comm); !asked {
		delete(w.outsiders.living, pid)
		return
	}
	cgroup := w.hierarchy.cgroupOfLiving(pid)
	if strings.Contains(cgroup, "kubepods") {
		delete(w.outsiders.living, pid)
		return
	}
	w.outsiders.living[pid] = outside{comm: comm, cgroup: cgroup}
}

// lookForNames finds processes that were there before the trace, or that took another name themselves.
func (w *watcher) lookForNames(now time.Time) {
	if len(w.outsiders.globs) == 0 || now.Before(w.outsiders.lookAt) {
		return
	}
	w.outsiders.lookAt = now.Add(lookForNamesEvery)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if content, err := readFile(procPath(pid, "comm")); err == nil {
			w.lookAt(pid, strings.TrimSuffix(string(content), "\n"))
		}
	}
}

func (w *watcher) lookAt(pid int, comm string) {
	if known, isKnown := w.outsiders.living[pid]; isKnown && known.comm == comm && known.cgroup != "" {
		return
	}
	if _, asked := w.outsiders.glob(comm); !asked {
		return
	}
	if found, alive := readProcess(pid); alive && found.tgid == pid {
		w.named(pid, comm)
	}
}

// inherits notes a child that a process of such a name has forked: it has the name too. A thread is none.
func (w *watcher) inherits(parent, child int) {
	delete(w.outsiders.living, child) // its number is in use again
	known, asked := w.outsiders.living[parent]
	if !asked {
		return
	}
	if found, alive := readProcess(child); alive && found.tgid == child {
		w.named(child, known.comm)
	}
}

// endsOutside writes the end of a process in no pod.
func (w *watcher) endsOutside(pid int, left *leaderless) {
	known := w.outsiders.living[pid]
	delete(w.outsiders.living, pid)
	glob, asked := w.outsiders.glob(known.comm)
	if !asked {
		return
	}
	w.outsiders.written[glob]++
	w.out.emitAt("node-exit", left.last, map[string]any{"pid": pid, "comm": known.comm, "cgroup": known.cgroup})
}

// commOfExec is the name that exec gives: that of the file, cut (begin_new_exec() of fs/exec.c).
func commOfExec(detail string) string {
	found := execPattern.FindStringSubmatch(detail)
	if found == nil {
		return ""
	}
	name := filepath.Base(found[1])
	return name[:min(len(name), maxComm)]
}
