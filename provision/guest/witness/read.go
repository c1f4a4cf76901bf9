package main

import (
	"os"
	"syscall"
)

// readSize holds nearly every file of a cgroup and of /proc whole.
const readSize = 4096

// readFile reads a file of a kernel file system. os.ReadFile does twice the work: it asks for a size, which is always 0
// there, and lets the runtime's poller try to watch the file. The witness reads some hundred of them a second.
func readFile(path string) ([]byte, error) {
	var fd int
	err := again(func() (err error) {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	content := make([]byte, 0, readSize)
	for {
		if len(content) == cap(content) {
			content = append(content, make([]byte, readSize)...)[:len(content)]
		}
		var count int
		err := again(func() (err error) {
			count, err = syscall.Read(fd, content[len(content):cap(content)])
			return err
		})
		if err != nil {
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		}
		if count == 0 {
			return content, nil
		}
		content = content[:len(content)+count]
	}
}

// again does a system call until no signal interrupts it.
func again(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}
