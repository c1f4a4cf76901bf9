// sleeper waits to be stopped.
//
//	sleeper [--after D [--exit-code N]] [--ignore-term] [--stop-signal N] [--child [COMMAND [ARGUMENT…]]]
//
// It exits 0 on SIGTERM and SIGINT, and on the signal of that number with --stop-signal; with --after it exits by itself
// after that time with --exit-code; with --ignore-term only SIGKILL (or --after) ends it. With --child it starts the
// command, or another sleeper, and ends with 1 as soon as that one is gone. Wrong flags: exit 2.
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

func main() {
	after := flag.Duration("after", -1, "exit by itself after this time; negative = never")
	code := flag.Int("exit-code", 0, "exit status of --after")
	ignore := flag.Bool("ignore-term", false, "say that SIGTERM or SIGINT came, and go on")
	number := flag.Int("stop-signal", 0, "number of one more signal that stops it: 37 for SIGRTMIN+3")
	child := flag.Bool("child", false, "start the command given, or another sleeper; exit 1 when it is gone")
	flag.Parse()
	if flag.NArg() > 0 && !*child || *code < 0 || *code > 255 || *number < 0 || *number > 64 {
		fmt.Fprintln(os.Stderr, "sleeper: usage: sleeper [--after D [--exit-code N]] [--ignore-term] [--stop-signal N] [--child [COMMAND]]")
		os.Exit(2)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	if *number != 0 {
		signal.Notify(stop, syscall.Signal(*number))
	}
	var gone <-chan string
	if *child {
		gone = startChild()
	}
	var done <-chan time.Time
	if *after >= 0 {
		done = time.After(*after)
	}
	fmt.Printf("sleeper: pid %d started\n", os.Getpid())
	for {
		select {
		case <-done:
			fmt.Printf("sleeper: exit %d after %s\n", *code, *after)
			os.Exit(*code)
		case fate := <-gone:
			fmt.Printf("sleeper: the child ended: %s, exit 1\n", fate)
			os.Exit(1)
		case got := <-stop:
			if !*ignore || int(got.(syscall.Signal)) == *number {
				fmt.Printf("sleeper: got %s, exit 0\n", got)
				return
			}
			fmt.Printf("sleeper: got %s, ignored\n", got)
		}
	}
}

// startChild starts the command, or this program again without flags; its fate comes once, when it has ended.
func startChild() <-chan string {
	self, err := os.Executable()
	if err != nil {
		fail("cannot find my own program: %v", err)
	}
	words := flag.Args()
	if len(words) == 0 {
		words = []string{self}
	}
	child := exec.Command(words[0], words[1:]...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		fail("cannot start the child: %v", err)
	}
	fmt.Printf("sleeper: parent %d started child %d\n", os.Getpid(), child.Process.Pid)
	gone := make(chan string, 1)
	go func() {
		_ = child.Wait() // the fate is read from ProcessState
		gone <- child.ProcessState.String()
	}()
	return gone
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "sleeper: "+format+"\n", values...)
	os.Exit(2)
}
