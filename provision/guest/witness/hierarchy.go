package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// hierarchy is where the memory controller lives and which of its files tell something.
type hierarchy struct {
	version string
	root    string
	// hard files are read at once and whenever something may have changed; a change is a record.
	hard []string
	// soft files change all the time: they are written only together with a change of a hard one.
	soft []string
	// announced files tell inotify about changes (the kernel notifies, or a program writes them).
	announced []string
}

const cgroup2Magic = 0x63677270

func findHierarchy(mount string) (hierarchy, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(mount, &stat); err != nil {
		return hierarchy{}, err
	}
	if stat.Type == cgroup2Magic {
		return hierarchy{
			version: "v2",
			root:    mount,
			hard: []string{
				"memory.max", "memory.oom.group", "memory.events", "memory.events.local", "pids.events",
				"cgroup.subtree_control",
			},
			soft: []string{"memory.current", "memory.peak"},
			announced: []string{
				"memory.max", "memory.events", "memory.events.local", "pids.events", "cgroup.procs",
				"cgroup.subtree_control",
			},
		}, nil
	}
	memory := filepath.Join(mount, "memory")
	if _, err := os.Stat(filepath.Join(memory, "cgroup.procs")); err != nil {
		return hierarchy{}, errors.New("no cgroup v2 and no memory hierarchy of cgroup v1: " + err.Error())
	}
	return hierarchy{
		version:   "v1",
		root:      memory,
		hard:      []string{"memory.limit_in_bytes", "memory.oom_control", "memory.failcnt"},
		soft:      []string{"memory.usage_in_bytes", "memory.max_usage_in_bytes"},
		announced: []string{"memory.limit_in_bytes", "cgroup.procs"},
	}, nil
}

// podBases are the directories in which a directory named kubepods… may appear: the root, and, when kubelet and
// runtime disagree about the cgroup driver, the slice or the service of the runtime.
func (h hierarchy) podBases() []string {
	return []string{"/", "/system.slice", "/system.slice/containerd.service"}
}

// cgroupOf reads the cgroup of a process or thread, empty when it is gone.
func (h hierarchy) cgroupOf(pid int) string {
	content, err := os.ReadFile(procPath(pid, "cgroup"))
	if err != nil {
		return ""
	}
	return parseProcCgroup(string(content), h.version)
}

// parseProcCgroup finds the line of the unified hierarchy (v2) or of the memory controller (v1).
func parseProcCgroup(content, version string) string {
	for _, line := range strings.Split(content, "\n") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		if version == "v2" && parts[0] == "0" && parts[1] == "" {
			return strings.TrimSuffix(parts[2], " (deleted)")
		}
		if version == "v1" {
			for _, controller := range strings.Split(parts[1], ",") {
				if controller == "memory" {
					return strings.TrimSuffix(parts[2], " (deleted)")
				}
			}
		}
	}
	return ""
}

// parseValues splits a flat-keyed file (`oom_kill 1`) into its keys; a single value gets the key "".
func parseValues(content string) map[string]string {
	values := map[string]string{}
	content = strings.TrimSpace(content)
	lines := strings.Split(content, "\n")
	for _, line := range lines {
		key, value, found := strings.Cut(line, " ")
		if !found || strings.Contains(value, " ") {
			return map[string]string{"": strings.Join(lines, " ")}
		}
		values[key] = value
	}
	return values
}
