package main

import (
	"fmt"
	"path/filepath"
	"sort"
)

// Counters of the ring of one CPU: events that newer ones overwrote, that an interrupt could not write into a page that was
// being finished, and that found the ring full (Documentation/trace/ftrace.rst, per_cpu/cpu0/stats).
var lossCounters = []string{"overrun:", "commit overrun:", "dropped events:"}

// losses follows how many events the kernel itself lost. trace_pipe tells of a loss only before the next event of the same
// CPU, which may never come.
type losses struct {
	dir  string
	seen map[string]int64
}

func newLosses(dir string) *losses {
	return &losses{dir: dir, seen: map[string]int64{}}
}

// more returns what was lost since the last call, a text for each CPU.
func (l *losses) more() []string {
	files, _ := filepath.Glob(filepath.Join(l.dir, "per_cpu", "cpu*", "stats"))
	sort.Strings(files)
	var found []string
	for _, file := range files {
		content := readAll(file)
		var lost int64
		for _, name := range lossCounters {
			if count, ok := parseCounter(content, name); ok {
				lost += count
			}
		}
		cpu := filepath.Base(filepath.Dir(file))
		// An instance that is used again was cleared: its counters began again.
		if before := l.seen[file]; lost > before {
			found = append(found, fmt.Sprintf("the ring of %s [LOST %d EVENTS]", cpu, lost-before))
		}
		l.seen[file] = lost
	}
	return found
}

// report writes down what was lost since the last time.
func (l *losses) report(out *emitter) {
	for _, why := range l.more() {
		out.emit("lost", map[string]any{"source": "trace", "why": why})
	}
}
