package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const endMarker = "whodunit-end"
const startMarker = "whodunit-start"

// tracedSignals leaves out what never ends a process (SIGCHLD, SIGCONT, the job control stops, SIGURG of every Go
// runtime) and the timers and I/O signals of profilers, which would only make the trace long. All others may be the
// way a container is stopped: an image chooses its own STOPSIGNAL (SIGQUIT, SIGINT, SIGWINCH, SIGRTMIN+3, ...).
// lab/judge/records/signals.ts knows the same list.
const tracedSignals = "sig!=17&&sig!=18&&sig!=19&&sig!=20&&sig!=21&&sig!=22&&sig!=23&&sig!=26&&sig!=27&&sig!=29"

var tracedEvents = []string{
	"signal/signal_generate", "sched/sched_process_exit", "sched/sched_process_fork", "sched/sched_process_exec",
	"oom/mark_victim",
}

// trace is an own tracing instance: events of others and their settings are left alone.
type trace struct {
	dir    string
	usable bool
	lines  chan traceLine
	pipe   *os.File
	ancestry
}

// traceLine is one parsed line, with the sender looked up while it may still be alive.
type traceLine struct {
	comm   string
	pid    int
	mono   int64
	event  string
	detail string
	raw    string
	sender process
	line   []relative
	// Processes above the sender, its parent first.
	parents []int
}

// startTrace proves by a marker that the instance works before it says so.
func startTrace(root string, hierarchy hierarchy) (*trace, error) {
	t := &trace{dir: filepath.Join(root, "instances", "whodunit"), lines: make(chan traceLine, 4096)}
	t.ancestry = newAncestry(hierarchy)
	if err := t.open(root); err != nil {
		return t, err
	}
	settings := [][2]string{
		{"tracing_on", "0"}, {"trace", ""}, {"trace_clock", "mono"}, {"buffer_size_kb", "512"},
		{"events/signal/signal_generate/filter", tracedSignals},
	}
	for _, event := range tracedEvents {
		settings = append(settings, [2]string{"events/" + event + "/enable", "1"})
	}
	settings = append(settings, [2]string{"tracing_on", "1"})
	for _, setting := range settings {
		if err := t.set(setting[0], setting[1]); err != nil {
			return t, err
		}
	}
	pipe, err := os.Open(filepath.Join(t.dir, "trace_pipe"))
	if err != nil {
		return t, err
	}
	t.pipe = pipe
	go t.read()
	return t, t.awaitStart()
}

// armTrace turns the events on in an instance that records nothing. Turning on the first instance of an event makes the
// kernel change its own code on all CPUs at once (text_poke_bp), which has hung an emulated guest; while this one is
// there, the trace of a cell changes no code any more.
func armTrace(root string) error {
	t := &trace{dir: filepath.Join(root, "instances", "whodunit-armed")}
	if err := t.open(root); err != nil {
		return err
	}
	settings := [][2]string{{"tracing_on", "0"}, {"buffer_size_kb", "1"}}
	for _, event := range tracedEvents {
		settings = append(settings, [2]string{"events/" + event + "/enable", "1"})
	}
	for _, setting := range settings {
		if err := t.set(setting[0], setting[1]); err != nil {
			return err
		}
	}
	return nil
}

// open makes the instance, and mounts tracefs where nobody has.
func (t *trace) open(root string) error {
	if _, err := os.Stat(filepath.Join(root, "instances")); err != nil {
		if err := syscall.Mount("tracefs", root, "tracefs", 0, ""); err != nil {
			return fmt.Errorf("tracefs cannot be mounted at %s: %w", root, err)
		}
	}
	if err := os.Mkdir(t.dir, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	return nil
}

func (t *trace) awaitStart() error {
	if err := t.set("trace_marker", startMarker); err != nil {
		return err
	}
	limit := time.After(10 * time.Second)
	for {
		select {
		case line := <-t.lines:
			if line.event == "tracing_mark_write" && strings.Contains(line.detail, startMarker) {
				t.usable = true
				return nil
			}
		case <-limit:
			return fmt.Errorf("the trace of %s stayed empty for 10 s", t.dir)
		}
	}
}

func (t *trace) set(file, value string) error {
	handle, err := os.OpenFile(filepath.Join(t.dir, file), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	defer handle.Close()
	if _, err := handle.WriteString(value + "\n"); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// end stops the events and marks the end of what is still to be read.
func (t *trace) end() error {
	for _, event := range tracedEvents {
		if err := t.set("events/"+event+"/enable", "0"); err != nil {
			return err
		}
	}
	return t.set("trace_marker", endMarker)
}

// remove gives the instance back; it stays when our own reader still blocks in it, and the next start reuses it.
func (t *trace) remove() {
	if t.pipe != nil {
		_ = t.set("tracing_on", "0")
		_ = t.pipe.Close()
	}
	_ = os.Remove(t.dir)
}

func (t *trace) read() {
	scanner := bufio.NewScanner(t.pipe)
	for scanner.Scan() {
		line, ok := parseTraceLine(scanner.Text())
		if !ok {
			continue
		}
		if line.event == "sched_process_fork" {
			t.forked(line)
		}
		if line.event == "sched_process_exec" {
			t.ran(line.pid)
		}
		if line.event == "signal_generate" {
			line.sender, line.line = t.lookUp(line.pid)
			line.parents = t.above(line.pid, readProcess)
		}
		t.lines <- line
	}
}

var (
	tracePattern = regexp.MustCompile(`^\s*(.*)-(\d+)\s+(?:\(\s*[\d-]+\)\s+)?\[\d+\]\s+\S+\s+(\d+)\.(\d{6}): (\w+): (.*)$`)
	lostPattern  = regexp.MustCompile(`LOST (\d+) EVENTS`)
)

// parseTraceLine reads `comm-pid [cpu] flags seconds.micros: event: detail`. Names may hold spaces and dashes.
// `CPU:0 [LOST 12 EVENTS]` becomes the event "lost".
func parseTraceLine(text string) (traceLine, bool) {
	found := tracePattern.FindStringSubmatch(text)
	if found == nil {
		if lostPattern.MatchString(text) {
			return traceLine{event: "lost", raw: strings.TrimSpace(text)}, true
		}
		return traceLine{}, false
	}
	pid, _ := strconv.Atoi(found[2])
	seconds, _ := strconv.ParseInt(found[3], 10, 64)
	micros, _ := strconv.ParseInt(found[4], 10, 64)
	return traceLine{
		comm: found[1], pid: pid, mono: seconds*1_000_000 + micros,
		event: found[5], detail: found[6], raw: strings.TrimSpace(text),
	}, true
}
