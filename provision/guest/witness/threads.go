package main

import (
	"os"
	"path/filepath"
	"strconv"
)

// leaderless is a process whose first thread has ended while others may live: pthread_exit() in main, or the first one to
// die of a group exit. Its end is that of its last thread.
type leaderless struct {
	comm    string
	path    string
	threads map[int]bool
	// outside tells that it is in no pod (outsiders.go).
	outside bool
	// last is when a thread of it was last seen to end, on the monotonic clock in microseconds.
	last int64
}

// threadLister names the threads of a process that have not ended; none when the process is gone.
type threadLister func(pid int) map[int]bool

// livingThreads reads /proc/<pid>/task. The first thread stays there until the others have ended: it does not count.
func livingThreads(pid int) map[int]bool {
	entries, err := os.ReadDir(procPath(pid, "task"))
	if err != nil {
		return nil
	}
	living := map[int]bool{}
	for _, entry := range entries {
		tid, err := strconv.Atoi(entry.Name())
		if err != nil || tid == pid {
			continue
		}
		status, err := readFile(procPath(pid, filepath.Join("task", entry.Name(), "status")))
		if err == nil && !parseStatus(string(status)).dead {
			living[tid] = true
		}
	}
	return living
}

// exited writes the end of a process: of its last thread, whose event is often not that of its first one. Kernels since
// 6.17 say of each thread whether it was the last (group_dead of sched:sched_process_exit); of others /proc tells whether
// any is left.
func (w *watcher) exited(line traceLine) {
	event, ok := parseExit(line.detail)
	if !ok {
		return
	}
	if pid, found := w.ownerOf(event.pid); found {
		left := w.leaderless[pid]
		delete(left.threads, event.pid)
		left.last = line.mono
		if event.groupDead || !w.isLeft(pid, left) {
			w.ends(pid)
		}
		return
	}
	path, known := w.processes[event.pid]
	_, outside := w.outsiders.living[event.pid]
	if !known && !outside {
		w.goneThreads[event.pid] = line.mono
		return
	}
	// Its counters are read at once: the runtime removes the cgroup of a dead container within milliseconds.
	w.refreshUp(path)
	left := &leaderless{comm: line.comm, path: path, outside: !known, last: line.mono}
	w.leaderless[event.pid] = left
	if !event.groupDead {
		left.threads = w.threads(event.pid)
		for tid := range left.threads {
			if _, gone := w.goneThreads[tid]; gone {
				delete(left.threads, tid)
			}
		}
	}
	if event.groupDead || !w.isLeft(event.pid, left) {
		w.ends(event.pid)
	}
}

// isLeft tells whether anything of a process lives on. Its first thread may still be giving back its memory, or another
// one may have taken its number by exec.
func (w *watcher) isLeft(pid int, left *leaderless) bool {
	if len(left.threads) > 0 {
		return true
	}
	_, alive := readProcess(pid)
	return alive
}

// ownerOf finds the process without a first thread that a thread belongs to.
func (w *watcher) ownerOf(tid int) (int, bool) {
	for pid, left := range w.leaderless {
		if left.threads[tid] {
			return pid, true
		}
	}
	return 0, false
}

// started notes a thread that a thread of such a process began.
func (w *watcher) started(parent, child int) {
	delete(w.goneThreads, child)
	if _, known := w.leaderless[child]; known {
		w.ends(child) // its number is in use again
	}
	if pid, found := w.ownerOf(parent); found {
		if thread, alive := readProcess(child); alive && thread.tgid == pid {
			w.leaderless[pid].threads[child] = true
		}
	}
}

// executed notes that another thread has taken the place of the first one by exec: the process lives on
// (de_thread() of fs/exec.c).
func (w *watcher) executed(pid int) {
	delete(w.leaderless, pid)
}

// sweep ends processes whose last thread ended before anybody could list it.
func (w *watcher) sweep() {
	w.goneThreads = map[int]int64{}
	for pid, left := range w.leaderless {
		left.threads = w.threads(pid)
		if !w.isLeft(pid, left) {
			w.ends(pid)
		}
	}
}

// ends writes that all threads of a process have ended.
func (w *watcher) ends(pid int) {
	left := w.leaderless[pid]
	delete(w.leaderless, pid)
	if left.outside {
		w.endsOutside(pid, left)
		return
	}
	delete(w.processes, pid)
	delete(w.announced, pid)
	w.ended[pid] = left.path
	w.out.emitAt("exit", left.last, map[string]any{
		"pid": pid, "comm": left.comm, "cgroup": left.path, "groupDead": true,
	})
	w.refreshUp(left.path)
}
