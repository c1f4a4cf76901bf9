package main

import (
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// inotify tells about new and removed directories and about announced changes of cgroup files.
type inotify struct {
	fd      int
	changes chan change
}

// change is one event; `watch` is what addWatch returned.
type change struct {
	watch      int
	directory  bool
	gone       bool
	overflowed bool
}

const (
	watchDirectory = syscall.IN_CREATE | syscall.IN_DELETE | syscall.IN_ONLYDIR
	watchFile      = syscall.IN_MODIFY
)

func startInotify() (*inotify, error) {
	notify := &inotify{fd: -1, changes: make(chan change, 1024)}
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC)
	if err != nil {
		return notify, os.NewSyscallError("inotify_init1", err)
	}
	notify.fd = fd
	go notify.read()
	return notify, nil
}

// addWatch returns -1 when the path is gone.
func (n *inotify) addWatch(path string, mask uint32) int {
	if n.fd < 0 {
		return -1
	}
	watch, err := syscall.InotifyAddWatch(n.fd, path, mask)
	if err != nil {
		return -1
	}
	return watch
}

func (n *inotify) read() {
	buffer := make([]byte, 64*1024)
	for {
		count, err := syscall.Read(n.fd, buffer)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || count <= 0 {
			return
		}
		for _, each := range parseInotify(buffer[:count]) {
			n.changes <- each
		}
	}
}

// parseInotify splits what one read returned.
func parseInotify(buffer []byte) []change {
	var changes []change
	for len(buffer) >= syscall.SizeofInotifyEvent {
		event := (*syscall.InotifyEvent)(unsafe.Pointer(&buffer[0]))
		size := syscall.SizeofInotifyEvent + int(event.Len)
		if size > len(buffer) {
			break
		}
		name := strings.TrimRight(string(buffer[syscall.SizeofInotifyEvent:size]), "\x00")
		changes = append(changes, change{
			watch:      int(event.Wd),
			directory:  name != "",
			gone:       event.Mask&syscall.IN_IGNORED != 0,
			overflowed: event.Mask&syscall.IN_Q_OVERFLOW != 0,
		})
		buffer = buffer[size:]
	}
	return changes
}
