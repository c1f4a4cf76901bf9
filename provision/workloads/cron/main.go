// cron runs a command every N seconds, like the small cron programs people use as PID 1 of a container.
//
//	cron [--every 5s] [--reap] -- COMMAND [ARGUMENT…]
//
// The first run starts at once. A run that is still going when the next is due is not doubled: the tick is skipped
// and said. Each start and each exit status is one line. By default only the command itself is waited for, so
// orphans that it leaves behind stay zombies (that is what most such programs do); --reap collects them too.
// Exit status: 0 on SIGTERM and SIGINT, 2 for wrong flags or a command that does not exist.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// ended says that a child (the command, or with --reap an adopted orphan) was collected.
type ended struct {
	pid    int
	status syscall.WaitStatus
}

func main() {
	every := flag.Duration("every", 5*time.Second, "time between two starts")
	reap := flag.Bool("reap", false, "collect orphans as well")
	flag.Parse()
	if flag.NArg() == 0 || *every <= 0 {
		fail("usage: cron [--every 5s] [--reap] -- COMMAND [ARGUMENT…]")
	}
	program, err := exec.LookPath(flag.Arg(0))
	if err != nil {
		fail("%v", err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	ends := make(chan ended, 16)
	if *reap {
		// Before the first start: an orphan of a quick command must not slip by.
		adoptOrphans()
		news := make(chan os.Signal, 1)
		signal.Notify(news, syscall.SIGCHLD)
		go reapAll(news, ends)
	}
	run(program, *every, *reap, stop, ends)
}

func run(program string, every time.Duration, reap bool, stop <-chan os.Signal, ends chan ended) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	running, runs := start(program, 1, reap, ends), 1
	for {
		select {
		case <-ticks.C:
			if running != 0 {
				fmt.Printf("cron: run %d (pid %d) is still going, tick skipped\n", runs, running)
				continue
			}
			runs++
			running = start(program, runs, reap, ends)
		case end := <-ends:
			if end.pid != running {
				fmt.Printf("cron: reaped orphan %d: %s\n", end.pid, describe(end.status))
				continue
			}
			fmt.Printf("cron: run %d (pid %d) ended: %s\n", runs, end.pid, describe(end.status))
			running = 0
		case got := <-stop:
			fmt.Printf("cron: got %s, exit 0\n", got)
			if running != 0 {
				_ = syscall.Kill(running, syscall.SIGTERM) // it may be gone already
			}
			return
		}
	}
}

// start forks by hand instead of through os/exec, whose own wait would race with wait4(-1) of --reap.
func start(program string, number int, reap bool, ends chan<- ended) int {
	pid, err := syscall.ForkExec(program, flag.Args(), &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}})
	if err != nil {
		fmt.Printf("cron: run %d could not start: %v\n", number, err)
		return 0
	}
	fmt.Printf("cron: run %d (pid %d) started\n", number, pid)
	if !reap {
		go func() {
			var status syscall.WaitStatus
			for {
				if _, err := syscall.Wait4(pid, &status, 0, nil); err != syscall.EINTR {
					break
				}
			}
			ends <- ended{pid, status}
		}()
	}
	return pid
}

// adoptOrphans makes this process the parent of orphans below it; as PID 1 it is that already.
func adoptOrphans() {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER, linux/prctl.h
	if _, _, err := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); err != 0 {
		fail("cannot adopt orphans: %v", err)
	}
}

// reapAll collects every child, adopted ones too, whenever news (SIGCHLD) arrive.
func reapAll(news <-chan os.Signal, ends chan<- ended) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil || pid == 0:
			<-news
		default:
			ends <- ended{pid, status}
		}
	}
}

func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return fmt.Sprintf("killed by signal %d (%s)", int(status.Signal()), status.Signal())
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "cron: "+format+"\n", values...)
	os.Exit(2)
}
