// orphan-maker is the shell of a crontab whose jobs leave a process behind, as `(sleep 0.3 &)` does.
//
//	orphan-maker -c LIFETIME        starts a child and ends at once, with status 0: the child is an orphan then
//	orphan-maker live LIFETIME      lives for so long (300ms, 2s) and ends
//	orphan-maker -c "live LIFETIME" does the same, as the job of a crontab
//
// The child has a session of its own and no output: a cron program that waits for the end of an output does not wait for
// it. Exit status: 11 (EAGAIN) when the kernel refuses the child, 2 for wrong arguments.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fail(2, "usage: orphan-maker -c LIFETIME | orphan-maker live LIFETIME | orphan-maker -c \"live LIFETIME\"")
	}
	text, lives := strings.CutPrefix(os.Args[2], "live ")
	lifetime, err := time.ParseDuration(text)
	if err != nil {
		fail(2, "%v", err)
	}
	switch {
	case os.Args[1] == "live", os.Args[1] == "-c" && lives:
		time.Sleep(lifetime)
	case os.Args[1] == "-c":
		leave(lifetime)
	default:
		fail(2, "cannot do %q", os.Args[1:])
	}
}

func leave(lifetime time.Duration) {
	child := exec.Command("/proc/self/exe", "live", lifetime.String())
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err := child.Start() // nobody waits for it
	if errors.Is(err, syscall.EAGAIN) {
		fail(int(syscall.EAGAIN), "the kernel refused a process: %v", err)
	}
	if err != nil {
		fail(1, "%v", err)
	}
}

func fail(status int, format string, values ...any) {
	fmt.Fprintf(os.Stderr, "orphan-maker: "+format+"\n", values...)
	os.Exit(status)
}
