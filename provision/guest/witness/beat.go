package main

import (
	"runtime"
	"strconv"
	"strings"
	"time"
)

// beatEvery is how often the node as a whole is looked at. A beat that comes late tells that the node stood still.
const beatEvery = time.Second

// userTicksPerSecond is USER_HZ, the unit of /proc/stat, the same on every Linux of today.
const userTicksPerSecond = 100

// beat writes the counters of the node: its OOM kills since boot, the time in which all tasks waited for memory, and
// the CPU time that the hypervisor gave to others. What this kernel does not have is left out.
func beat(out *emitter) {
	fields := map[string]any{"cpus": runtime.NumCPU()}
	if kills, ok := parseCounter(readAll("/proc/vmstat"), "oom_kill"); ok {
		fields["oomKills"] = kills
	}
	if full, ok := parsePressure(readAll("/proc/pressure/memory"), "full"); ok {
		fields["memoryFullMicros"] = full
	}
	if steal, ok := parseSteal(readAll("/proc/stat")); ok {
		fields["stealMs"] = steal
	}
	out.emit("node", fields)
}

func readAll(path string) string {
	content, err := readFile(path)
	if err != nil {
		return "" // older than the file, or switched off (psi=0)
	}
	return string(content)
}

// parseCounter finds the line `name value`.
func parseCounter(content, name string) (int64, bool) {
	for _, line := range strings.Split(content, "\n") {
		if value, found := strings.CutPrefix(line, name+" "); found {
			number, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return number, err == nil
		}
	}
	return 0, false
}

// parsePressure reads `total=` of the line `some …` or `full …` (Documentation/accounting/psi.rst), microseconds.
func parsePressure(content, kind string) (int64, bool) {
	for _, line := range strings.Split(content, "\n") {
		if !strings.HasPrefix(line, kind+" ") {
			continue
		}
		_, total, found := strings.Cut(line, "total=")
		number, err := strconv.ParseInt(strings.TrimSpace(total), 10, 64)
		return number, found && err == nil
	}
	return 0, false
}

// parseSteal reads the eighth value of the first line, `cpu user nice system idle iowait irq softirq steal …`, as ms.
func parseSteal(content string) (int64, bool) {
	first, _, _ := strings.Cut(content, "\n")
	fields := strings.Fields(first)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, false
	}
	ticks, err := strconv.ParseInt(fields[8], 10, 64)
	return ticks * 1000 / userTicksPerSecond, err == nil
}
