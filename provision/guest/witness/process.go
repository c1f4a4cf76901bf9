package main

import (
	"path/filepath"
	"strconv"
	"strings"
)

// process is what /proc says about one process.
type process struct {
	pid, ppid, tgid, nsPid int
	comm                   string
	startTicks             string
	dead                   bool
}

func procPath(pid int, file string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), file)
}

// readProcess returns false when the process has ended.
func readProcess(pid int) (process, bool) {
	status, err := readFile(procPath(pid, "status"))
	if err != nil {
		return process{}, false
	}
	found := parseStatus(string(status))
	if stat, err := readFile(procPath(pid, "stat")); err == nil {
		found.startTicks = parseStartTicks(string(stat))
	}
	return found, found.pid == pid && !found.dead
}

// maxArguments bounds the command line that is written down; the flags of runsc come first.
const maxArguments = 4096

// sandboxArguments is the command line of a process of a gVisor sandbox, empty for any other process. All of them are
// called `exe`; only the command line tells the sandbox itself from its file server and has --total-memory, the memory
// that the sandbox believes to have (runsc/sandbox/sandbox.go, createSandboxProcess).
func sandboxArguments(pid int) string {
	content, err := readFile(procPath(pid, "cmdline"))
	if err != nil {
		return ""
	}
	return parseSandboxArguments(string(content))
}

func parseSandboxArguments(cmdline string) string {
	if !strings.HasPrefix(filepath.Base(strings.SplitN(cmdline, "\x00", 2)[0]), "runsc") {
		return ""
	}
	text := strings.Join(strings.FieldsFunc(cmdline, func(r rune) bool { return r == 0 }), " ")
	return text[:min(len(text), maxArguments)]
}

// parseStatus reads /proc/<pid>/status. The last number of NSpid is the pid in the innermost namespace.
func parseStatus(content string) process {
	var found process
	for _, line := range strings.Split(content, "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "Name":
			found.comm = value
		case "State":
			found.dead = strings.HasPrefix(value, "Z") || strings.HasPrefix(value, "X")
		case "Pid":
			found.pid, _ = strconv.Atoi(value)
		case "PPid":
			found.ppid, _ = strconv.Atoi(value)
		case "Tgid":
			found.tgid, _ = strconv.Atoi(value)
		case "NSpid":
			fields := strings.Fields(value)
			if len(fields) > 0 {
				found.nsPid, _ = strconv.Atoi(fields[len(fields)-1])
			}
		}
	}
	return found
}

// parseStartTicks reads field 22 of /proc/<pid>/stat; the name before it may hold spaces and parentheses.
func parseStartTicks(content string) string {
	end := strings.LastIndex(content, ")")
	if end < 0 {
		return ""
	}
	fields := strings.Fields(content[end+1:])
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}
