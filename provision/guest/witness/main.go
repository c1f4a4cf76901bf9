// witness watches the pods of one node from the outside and writes what it sees, one JSON object a line, to standard
// output until standard input ends or SIGTERM or SIGINT arrives. Its last record is `stop`; a stream without it was
// cut short. Every record has `seq` (no number is ever skipped), `at` (wall clock, milliseconds) and `mono`
// (CLOCK_MONOTONIC, microseconds, the clock of the kernel log and of the trace).
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Directories are announced by inotify; the walk finds what an overflown inotify queue did not announce. The v1
// memory counters announce nothing, so there the walk is also what reads them.
const (
	tracefs     = "/sys/kernel/tracing"
	walkEvery   = time.Second
	walkEveryV1 = 200 * time.Millisecond
)

func main() {
	names, asksForEnds := endsAskedFor(os.Args[1:])
	if len(os.Args) == 2 && !asksForEnds {
		if err := runOnce(os.Args[1]); err != nil {
			fmt.Fprintf(os.Stderr, "witness %s: %v\n", os.Args[1], err)
			os.Exit(1)
		}
		return
	}
	// The kernel must not choose the witness as the victim.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("-999"), 0o644)
	out := newEmitter(os.Stdout, time.Now, monotonicMicros)
	hierarchy, err := findHierarchy("/sys/fs/cgroup")
	if err != nil {
		out.emit("lost", map[string]any{"source": "cgroup", "why": err.Error()})
		os.Exit(1)
	}
	run(out, hierarchy, names)
}

// endsAskedFor reads `ends <glob>…`: names of processes in no pod whose end is to be written.
func endsAskedFor(words []string) ([]string, bool) {
	if len(words) == 0 || words[0] != "ends" {
		return nil, false
	}
	return words[1:], true
}

// runOnce does what a word on the command line asks for, and watches nothing.
func runOnce(word string) error {
	switch word {
	case "reseed":
		return reseed(os.Stdin)
	case "arm":
		return armTrace(tracefs)
	default:
		return fmt.Errorf("not a word of the witness: it knows reseed and arm")
	}
}

func run(out *emitter, hierarchy hierarchy, ends []string) {
	stop := stopRequests()
	trace, traceErr := startTrace(tracefs, hierarchy)
	out.emit("start", map[string]any{
		"bootId":  readTrimmed("/proc/sys/kernel/random/boot_id"),
		"kernel":  readTrimmed("/proc/sys/kernel/osrelease"),
		"cgroup":  hierarchy.version,
		"tracing": traceErr == nil,
	})
	if traceErr != nil {
		out.emit("lost", map[string]any{"source": "trace", "why": traceErr.Error()})
	}
	notify, err := startInotify()
	if err != nil {
		out.emit("lost", map[string]any{"source": "cgroup", "why": err.Error()})
	}
	watcher := newWatcher(out, hierarchy, notify, ends...)
	if len(ends) > 0 && traceErr == nil {
		out.emit("ends-watched", map[string]any{"names": ends})
	}
	watcher.walk()
	every := walkEvery
	if hierarchy.version == "v1" {
		every = walkEveryV1
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	beats := time.NewTicker(beatEvery)
	defer beats.Stop()
	losses := newLosses(trace.dir)
	beat(out)
	for {
		select {
		case <-ticker.C:
			watcher.walk()
		case <-beats.C:
			beat(out)
			losses.report(out)
		case change := <-notify.changes:
			watcher.changed(change)
		case line := <-trace.lines:
			watcher.traced(line)
		case <-stop:
			finish(out, watcher, trace, losses)
			return
		}
	}
}

// finish reads everything a last time, proves by a marker that the trace was read to its end, and says `stop`.
func finish(out *emitter, watcher *watcher, trace *trace, losses *losses) {
	if trace.usable {
		if err := trace.end(); err != nil {
			out.emit("lost", map[string]any{"source": "trace", "why": err.Error()})
		} else {
			drain(out, watcher, trace)
			losses.report(out)
		}
	}
	watcher.walk()
	watcher.readAllAgain()
	trace.remove()
	beat(out)
	out.emit("stop", nil)
}

func drain(out *emitter, watcher *watcher, trace *trace) {
	limit := time.After(5 * time.Second)
	for {
		select {
		case line := <-trace.lines:
			if line.event == "tracing_mark_write" && strings.Contains(line.detail, endMarker) {
				return
			}
			watcher.traced(line)
		case <-limit:
			out.emit("lost", map[string]any{"source": "trace", "why": "the end of the trace did not come within 5 s"})
			return
		}
	}
}

// stopRequests is closed by SIGTERM, SIGINT or the end of standard input.
func stopRequests() <-chan struct{} {
	stop := make(chan struct{})
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	go func() {
		select {
		case <-signals:
		case <-ended:
		}
		close(stop)
	}()
	return stop
}

func readTrimmed(path string) string {
	content, err := readFile(path)
	if err != nil {
		return fmt.Sprintf("unreadable: %v", err)
	}
	return strings.TrimSpace(string(content))
}
