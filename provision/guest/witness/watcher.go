package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

// watcher keeps the last known state of every cgroup of a pod and of the processes in them.
type watcher struct {
	out       *emitter
	hierarchy hierarchy
	notify    *inotify
	groups    map[string]*group
	watches   map[int]string
	processes map[int]string
	// ended holds the cgroup of processes that are gone, until their pid is used again.
	ended     map[int]string
	announced map[int]string
	// leaderless holds the processes whose first thread has ended, until the last one has.
	leaderless map[int]*leaderless
	// goneThreads holds the threads that ended since the last walk, and when.
	goneThreads map[int]int64
	threads     threadLister
	outsiders   outsiders
	baseSeen    map[string]bool
	walked      bool
}

// group is one cgroup: the last content of its files.
type group struct {
	last map[string]string
}

// newWatcher makes a watcher of pods, and of the ends of processes in no pod whose name fits one of `ends`.
func newWatcher(out *emitter, hierarchy hierarchy, notify *inotify, ends ...string) *watcher {
	return &watcher{
		out: out, hierarchy: hierarchy, notify: notify,
		groups: map[string]*group{}, watches: map[int]string{}, processes: map[int]string{}, ended: map[int]string{},
		announced:  map[int]string{},
		leaderless: map[int]*leaderless{}, goneThreads: map[int]int64{},
		threads:   livingThreads,
		outsiders: newOutsiders(ends),
		baseSeen:  map[string]bool{},
	}
}

func (w *watcher) file(path, name string) string {
	return w.hierarchy.file(path, name)
}

// walk finds new and removed cgroups, and reads again what may have changed without being announced.
func (w *watcher) walk() {
	present := map[string]bool{}
	for _, base := range w.hierarchy.podBases() {
		if !w.baseSeen[base] {
			w.baseSeen[base] = w.watch(w.file(base, ""), watchDirectory, base)
		}
		for _, name := range w.directories(base) {
			if strings.HasPrefix(name, "kubepods") {
				w.visit(filepath.Join(base, name), present)
			}
		}
	}
	for path := range w.groups {
		if !present[path] {
			delete(w.groups, path)
			w.out.emit("cgroup-removed", map[string]any{"path": path})
		}
	}
	w.walked = true
	w.lookForNames(time.Now())
	w.sweep()
}

func (w *watcher) visit(path string, present map[string]bool) {
	present[path] = true
	if w.groups[path] == nil {
		w.create(path)
	} else {
		w.refresh(path, false)
		w.scan(path)
	}
	for _, name := range w.directories(path) {
		w.visit(filepath.Join(path, name), present)
	}
}

func (w *watcher) create(path string) {
	w.groups[path] = &group{last: map[string]string{}}
	w.watch(w.file(path, ""), watchDirectory, path)
	for _, name := range w.hierarchy.announced {
		w.watch(w.file(path, name), watchFile, path)
	}
	controllers, _ := readFile(w.file(path, "cgroup.controllers"))
	w.out.emit("cgroup-created", map[string]any{
		"path":        path,
		"procs":       w.pids(path),
		"controllers": strings.TrimSpace(string(controllers)),
		// Older than the witness: its counters did not start at zero under our eyes.
		"existing": !w.walked,
	})
	w.refresh(path, true)
	w.scan(path)
}

func (w *watcher) watch(path string, mask uint32, group string) bool {
	watch := w.notify.addWatch(path, mask)
	if watch < 0 {
		return false
	}
	w.watches[watch] = group
	return true
}

// changed handles one inotify event.
func (w *watcher) changed(event change) {
	if event.overflowed {
		w.walk()
		return
	}
	path, known := w.watches[event.watch]
	if !known {
		return
	}
	if event.gone {
		delete(w.watches, event.watch)
		for _, base := range w.hierarchy.podBases() {
			if path == base {
				w.baseSeen[base] = false
			}
		}
		return
	}
	if event.directory {
		w.walk()
		return
	}
	before := w.controllersBelow(path)
	w.refresh(path, false)
	w.scan(path)
	if w.controllersBelow(path) != before {
		w.refreshBelow(path)
	}
}

// controllersBelow is the last known list of controllers that a cgroup gives to those below it.
func (w *watcher) controllersBelow(path string) string {
	if known := w.groups[path]; known != nil {
		return known.last[subtreeControl]
	}
	return ""
}

// refreshBelow reads the cgroups directly below: what they may use changes at once, and nothing announces it. The next
// walk reads those further down.
func (w *watcher) refreshBelow(path string) {
	for _, name := range w.directories(path) {
		w.refresh(filepath.Join(path, name), false)
	}
}

// refresh writes the files whose content differs from the last time; `whole` writes the soft ones in any case.
func (w *watcher) refresh(path string, whole bool) {
	current := w.groups[path]
	if current == nil {
		return
	}
	changed := whole
	for _, name := range w.hierarchy.hard {
		if w.readFile(current, path, name) {
			changed = true
		}
	}
	if !changed {
		return
	}
	for _, name := range w.hierarchy.soft {
		w.readFile(current, path, name)
	}
}

func (w *watcher) readFile(current *group, path, name string) bool {
	content, err := readFile(w.file(path, name))
	if err != nil {
		return false // the controller is off, the kernel is older than the file, or the cgroup is gone
	}
	if last, known := current.last[name]; known && last == string(content) {
		return false // compared without a copy
	}
	text := string(content)
	current.last[name] = text
	w.out.emit("cgroup-values", map[string]any{"path": path, "file": name, "values": parseValues(text)})
	return true
}

// readAllAgain writes every file of every cgroup, changed or not: the state at the end.
func (w *watcher) readAllAgain() {
	paths := make([]string, 0, len(w.groups))
	for path := range w.groups {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		w.groups[path].last = map[string]string{}
		w.refresh(path, true)
	}
}

// scan announces processes of the cgroup that were not known yet.
func (w *watcher) scan(path string) {
	for _, pid := range w.pids(path) {
		if w.processes[pid] != path {
			w.announce(pid, path)
		}
	}
}

func (w *watcher) announce(pid int, path string) {
	found, alive := readProcess(pid)
	if !alive || found.tgid != pid {
		return
	}
	w.processes[pid] = path
	w.emitProcess(found, path, false)
}

func (w *watcher) emitProcess(found process, path string, inherited bool) {
	said := fmt.Sprint(found, path, sandboxArguments(found.pid))
	if w.announced[found.pid] == said {
		return
	}
	w.announced[found.pid] = said
	record := map[string]any{
		"pid": found.pid, "ppid": found.ppid, "nspid": found.nsPid, "comm": found.comm,
		"cgroup": path, "start": found.startTicks, "inherited": inherited,
	}
	if args := sandboxArguments(found.pid); args != "" {
		record["args"] = args
	}
	w.out.emit("process", record)
}

func (w *watcher) pids(path string) []int {
	pids := []int{}
	content, _ := readFile(w.file(path, "cgroup.procs"))
	for _, word := range strings.Fields(string(content)) {
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (w *watcher) directories(path string) []string {
	entries, err := os.ReadDir(w.file(path, ""))
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}
