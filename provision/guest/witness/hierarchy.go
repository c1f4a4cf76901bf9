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
	// pids is where the files of the pids controller lie: v1 has a hierarchy for each controller, with the same paths.
	pids string
	// hard files are read at once and whenever something may have changed; a change is a record.
	hard []string
	// soft files change all the time: they are written only together with a change of a hard one.
	soft []string
	// announced files tell inotify about changes (the kernel notifies, or a program writes them).
	announced []string
}

// subtreeControl names the controllers that a cgroup gives to those below it.
const subtreeControl = "cgroup.subtree_control"

// cpuPressure tells how long the tasks of a cgroup waited for a CPU that others had (v2 alone; `full` since kernel 5.13).
const cpuPressure = "cpu.pressure"

// file is the path of one file of a cgroup.
func (h hierarchy) file(path, name string) string {
	if strings.HasPrefix(name, "pids.") {
		return filepath.Join(h.pids, path, name)
	}
	return filepath.Join(h.root, path, name)
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
			pids:    mount,
			hard: []string{
				"memory.max", "memory.oom.group", "memory.events", "memory.events.local", "pids.events",
				"cgroup.controllers", subtreeControl,
			},
			soft: []string{"memory.current", "memory.peak", cpuPressure},
			announced: []string{
				"memory.max", "memory.events", "memory.events.local", "pids.events", "cgroup.procs",
				subtreeControl,
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
		pids:      filepath.Join(mount, "pids"),
		hard:      []string{"memory.limit_in_bytes", "memory.oom_control", "memory.failcnt", "pids.events"},
		soft:      []string{"memory.usage_in_bytes", "memory.max_usage_in_bytes"},
		announced: []string{"memory.limit_in_bytes", "cgroup.procs", "pids.events"},
	}, nil
}

// podBases are the directories in which a directory named kubepods… may appear: the root, and, when kubelet and
// runtime disagree about the cgroup driver, beside the service of the runtime (v2) or below it (v1): a runtime that
// gets `kubepods-….slice:cri-containerd:<id>` and does not know it for systemd's starts from its own cgroup.
// Source: runc's libcontainer/cgroups/fs2/defaultpath.go and fs/paths.go, runsc/cgroup/cgroup.go.
func (h hierarchy) podBases() []string {
	return []string{"/", "/system.slice", "/system.slice/containerd.service"}
}

// cgroupOf reads the cgroup of a process or thread, empty when it is gone.
func (h hierarchy) cgroupOf(pid int) string {
	content, err := readFile(procPath(pid, "cgroup"))
	if err != nil {
		return ""
	}
	return parseProcCgroup(string(content), h.version)
}

// cgroupOfLiving is empty too when the process has ended by the time it was read: until it is reaped, v1 shows it in the
// root cgroup, which says nothing.
func (h hierarchy) cgroupOfLiving(pid int) string {
	path := h.cgroupOf(pid)
	if _, alive := readProcess(pid); !alive {
		return ""
	}
	return path
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

// parseValues splits a flat-keyed file (`oom_kill 1`) into its keys; a single value gets the key "". Of pressure
// (`some avg10=0.00 … total=123`) the totals are kept, microseconds.
func parseValues(content string) map[string]string {
	values := map[string]string{}
	content = strings.TrimSpace(content)
	lines := strings.Split(content, "\n")
	for _, line := range lines {
		key, value, found := strings.Cut(line, " ")
		if _, total, isPressure := strings.Cut(value, "total="); isPressure {
			values[key] = total
			continue
		}
		if !found || strings.Contains(value, " ") {
			return map[string]string{"": strings.Join(lines, " ")}
		}
		values[key] = value
	}
	return values
}
